/** A bot on the generated types: it joins a match and plays the first legal move. `tsc --strict` compiles it. */
import type { ClientMessage, LegalMessage, PlayRequest, ServerMessage, State } from "./fibfob";

type Socket = { send(text: string): void; onmessage: ((event: { data: string }) => void) | null };

export function play(socket: Socket, code: string): void {
  const send = (message: ClientMessage): void => socket.send(JSON.stringify(message));
  const moved = ({ match, version, legal }: LegalMessage): PlayRequest | undefined => {
    const [first] = legal;
    if (typeof first !== "string") return undefined;
    return { type: "play", id: `${match}/${version}`, match, expecting: version, move: first };
  };
  const isOver = (state: State): boolean => state.phase === "over" && state.winner !== undefined;
  socket.onmessage = ({ data }) => {
    const message: ServerMessage = JSON.parse(data);
    switch (message.type) {
      case "welcome":
        return send({ type: "join", id: "join", code });
      case "snapshot":
        if (isOver(message.state)) return send({ type: "leave", id: "leave", match: message.match });
        return send({ type: "legal", id: `legal/${message.version}`, match: message.match });
      case "frame":
        if (message.event === "moved" && message.change?.turn === null) return undefined;
        return send({ type: "legal", id: `legal/${message.version}`, match: message.match });
      case "legal": {
        const request = moved(message);
        return request && send(request);
      }
      case "refused":
        throw new Error(`${message.reason}: ${message.message}`);
    }
  };
  send({ type: "hello", protocol: "fibfob.v1", strict: true });
}

// @ts-expect-error: a move is missing.
export const incomplete: PlayRequest = { type: "play", id: "a", match: "b", expecting: 1 };
