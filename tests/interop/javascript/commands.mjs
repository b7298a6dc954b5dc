/**
 * The commands that a test gives to a client.
 */
import { Client } from "./client.mjs";
import { moves } from "./families.mjs";

/**
 * Returns a function that performs commands with one client.
 * @param {(url: string, protocol: string) => WebSocket} open
 */
export function driver(open) {
  /** @type {Client} */
  let client;
  const commands = {
    async connect({ url, name }) {
      client = new Client(open, { url, name });
      await client.until(() => client.welcome);
      return client.welcome;
    },
    request: ({ request }) => client.request(request),
    repeat: ({ id }) => client.repeat(id),
    "send-text": ({ text }) => client.sendText(text),
    async play({ match, until, firstMoves }) {
      return report(await client.playOn(match, { until: until ?? Infinity, onlyFirst: firstMoves }));
    },
    async "wait-for"({ match, version, over }) {
      const followed = () => client.matches.get(match);
      const reached = () =>
        (followed()?.version ?? 0) >= (version ?? 1) && (!over || followed().state?.phase === "over");
      await client.until(reached);
      return report(followed());
    },
    async moves({ match }) {
      const { state } = client.matches.get(match);
      // Whoever is not to move asks for them.
      return moves(state.legal ?? (await client.request({ type: "legal", match })).legal);
    },
    async "wait-for-connections"({ count }) {
      await client.until(() => client.connections >= count);
      return client.closeCodes;
    },
    async "wait-for-lobby"({ guest }) {
      await client.until(() => client.lobby?.open.some(({ creator }) => creator.guest === guest));
      return client.lobby;
    },
    received: () => client.received,
    violations: () => client.violations,
    close: () => client.close(),
  };
  return async (command) => (await commands[command.do](command)) ?? null;
}

function report({ version, events, state, seat, presence }) {
  return { version, events, state, seat, presence };
}
