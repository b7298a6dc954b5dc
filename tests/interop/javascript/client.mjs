/**
 * A client written from PROTOCOL.md alone. It reconnects by itself, resends unanswered requests, and records in
 * `violations` every message that PROTOCOL.md does not allow. It knows no game, and runs over any WebSocket class.
 */
import { firstMoves, moves, MOVES_MAX } from "./families.mjs";

export const PROTOCOL = "fibfob.v1";
/** The fields of each event besides `version`, `at` and `event`. Of other events only these three are kept. */
const FIELDS = {
  created: ["terms"],
  joined: ["player"],
  moved: ["seat", "move"],
  resigned: ["seat"],
  withdrawn: [],
  expired: [],
  "rematch-offered": ["seat"],
  "rematch-accepted": ["seat", "next"],
};
const ANSWERS = new Set([
  "accepted",
  "refused",
  "preview",
  "analysis",
  "review",
  "legal",
  "matches",
  "device-code",
  "identity",
]);
/**
 * The pause before reconnecting after a connection that ended without `goodbye`, and before repeating a request that
 * was refused with `retry`.
 */
const PAUSE_MS = 50;

export class Client {
  /** Requests without an answer so far, in the order of sending. */
  #pending = new Map();
  /** All requests by id, for `repeat`. */
  #requests = new Map();
  #waiters = new Set();
  #unmatched = [];
  #socket;
  #open;
  #url;
  #name;
  #count = 0;
  #prefix = Math.random().toString(36).slice(2, 10);
  #pause = PAUSE_MS;
  #closed = false;
  welcome = null;
  lobby = null;
  connections = 0;
  closeCodes = [];
  violations = [];
  matches = new Map();
  /** Messages received, by type. */
  received = {};

  /**
   * @param {(url: string, protocol: string) => WebSocket} open
   * @param {{ url: string, name: string }} options
   */
  constructor(open, { url, name }) {
    this.#open = open;
    this.#url = url;
    this.#name = name;
    this.#connect();
  }

  /** Resolves when `test` holds. It is evaluated again after every message. */
  async until(test) {
    while (!test()) {
      await new Promise((changed) => this.#waiters.add(changed));
    }
  }

  /** Sends a request and returns its answer, across any number of reconnects. */
  request(fields) {
    const id = fields.id ?? `${this.#prefix}-${(this.#count += 1)}`;
    return this.#sendRequest({ ...fields, id });
  }

  /** Sends an earlier request again, unchanged. */
  repeat(id) {
    const request = this.#requests.get(id);
    if (!request) throw new Error(`no request has the id ${id}`);
    return this.#sendRequest(request);
  }

  /** Sends any text and returns the next answer that belongs to no pending request. */
  async sendText(text) {
    const before = this.#unmatched.length;
    this.#socket.send(text);
    await this.until(() => this.#unmatched.length > before);
    return this.#unmatched[before];
  }

  /**
   * Plays every turn of this seat until the match ends or reaches version `until`. With `onlyFirst` it chooses
   * the first move alone, which makes long matches.
   */
  async playOn(match, { until = Infinity, onlyFirst = false } = {}) {
    await this.until(() => this.matches.get(match)?.state);
    const followed = this.matches.get(match);
    while (followed.state.phase !== "over" && followed.state.phase !== "closed" && followed.version < until) {
      const { version, state } = followed;
      if (state.phase === "playing" && state.turn === followed.seat) {
        const choices = onlyFirst ? firstMoves(state.legal) : moves(state.legal);
        const move = choices[(version * 7919 + 13) % choices.length];
        const answer = await this.request({ type: "play", match, expecting: version, move });
        if (answer.type !== "accepted") {
          this.violations.push(`the legal move ${move} was answered with ${JSON.stringify(answer)}`);
          return followed;
        }
        await this.until(() => followed.version >= answer.version);
        const event = followed.events[answer.version - 1];
        if (event.event !== "moved" || event.seat !== followed.seat || event.move !== move) {
          this.violations.push(
            `version ${answer.version} is not the accepted move ${move} but ${JSON.stringify(event)}`,
          );
        }
      } else {
        await this.until(() => followed.version > version);
      }
    }
    return followed;
  }

  /** Closes the connection without reconnecting. */
  close() {
    this.#closed = true;
    this.#socket.close(1000);
  }

  #sendRequest(request) {
    this.#requests.set(request.id, request);
    return new Promise((resolve) => {
      this.#pending.set(request.id, { request, resolve });
      if (this.welcome && this.#socket.readyState === 1) this.#send(request);
    });
  }

  #send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  #connect() {
    const socket = this.#open(this.#url, PROTOCOL);
    this.#socket = socket;
    let welcomed = false;
    socket.addEventListener("open", () => {
      const token = this.welcome?.token;
      socket.send(JSON.stringify({ type: "hello", protocol: PROTOCOL, name: this.#name, ...(token && { token }) }));
    });
    socket.addEventListener("error", () => {}); // A `close` event follows.
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.#socket) return;
      if (typeof data !== "string") this.violations.push("a binary frame");
      const message = JSON.parse(data);
      if (message.type === "welcome") {
        if (welcomed) this.violations.push("a second welcome");
        welcomed = true;
        this.#onWelcome(message);
      } else {
        this.#onMessage(message);
      }
      this.#notify();
    });
    socket.addEventListener("close", ({ code }) => {
      this.closeCodes.push(code);
      if (!this.#closed) setTimeout(() => this.#connect(), this.#pause);
      this.#pause = PAUSE_MS;
      this.#notify();
    });
  }

  #onWelcome(welcome) {
    this.connections += 1;
    if (this.welcome && this.welcome.guest !== welcome.guest) this.violations.push("another guest for the same token");
    this.welcome = welcome;
    // The `resume` requests of the last connection are replaced by those below, which carry newer versions.
    for (const [id, { own }] of this.#pending) if (own) this.#pending.delete(id);
    const unanswered = [...this.#pending.values()];
    for (const [match, { version }] of this.matches) {
      const id = `${this.#prefix}-r${(this.#count += 1)}`;
      const request = { type: "resume", id, match, since: version };
      this.#pending.set(id, {
        request,
        own: true,
        resolve: (answer) => answer.type !== "accepted" && this.violations.push(`resume was refused: ${answer.reason}`),
      });
      this.#send(request);
    }
    for (const { request } of unanswered) this.#send(request);
  }

  #onMessage(message) {
    this.received[message.type] = (this.received[message.type] ?? 0) + 1;
    if (ANSWERS.has(message.type)) this.#onAnswer(message);
    else if (message.type === "frame") {
      const { match } = message;
      const followed = this.#follow(match);
      const state = followed.state && changedState(followed.state, message);
      if (message.version === followed.version + 1) this.#onEvent(match, message, state);
      else this.#onEvent(match, message, followed.state);
    } else if (message.type === "snapshot") {
      for (const event of message.events) this.#onEvent(message.match, event, null);
      const followed = this.#follow(message.match);
      if (followed.version === message.version) followed.state = message.state;
    } else if (message.type === "presence") this.#follow(message.match).presence = message;
    else if (message.type === "lobby") this.lobby = message;
    else if (message.type === "lobby-change") this.lobby = changedLobby(this.lobby, message);
    else if (message.type === "goodbye") this.#pause = message.retry_after_ms;
    // Messages of types that are unknown here are ignored.
  }

  #onAnswer(answer) {
    const waiting = this.#pending.get(answer.id);
    if (!waiting) {
      this.#unmatched.push(answer);
      return;
    }
    if (answer.type === "refused" && answer.retry) {
      setTimeout(
        () => this.#pending.has(answer.id) && this.#socket.readyState === 1 && this.#send(waiting.request),
        answer.retry_after_ms ?? PAUSE_MS,
      );
      return;
    }
    this.#pending.delete(answer.id);
    if (answer.type === "accepted") {
      if (waiting.request.type === "leave") this.matches.delete(waiting.request.match);
      else if (answer.seat) this.#follow(answer.match).seat = answer.seat;
    }
    waiting.resolve(answer);
  }

  #follow(match) {
    if (!this.matches.has(match)) {
      this.matches.set(match, { version: 0, events: [], state: null, seat: null, presence: null });
    }
    return this.matches.get(match);
  }

  #onEvent(match, message, state) {
    const followed = this.#follow(match);
    const fields = FIELDS[message.event] ?? [];
    const event = Object.fromEntries(["version", "at", "event", ...fields].map((name) => [name, message[name]]));
    if (event.version <= followed.version) {
      // A repeated request brings its event again, and it must be the same one.
      this.received.repeated = (this.received.repeated ?? 0) + 1;
      if (JSON.stringify(event) !== JSON.stringify(followed.events[event.version - 1])) {
        this.violations.push(`version ${event.version} has changed`);
      }
      return;
    }
    if (event.version !== followed.version + 1) {
      this.violations.push(`version ${event.version} came after ${followed.version}`);
    }
    if (event.event === "moved" && followed.state?.legal) {
      const legal = moves(followed.state.legal);
      if (legal.length < MOVES_MAX && !legal.includes(event.move)) {
        this.violations.push(`${event.move} was played but is in none of the legal families`);
      }
    }
    followed.events.push(event);
    followed.version = event.version;
    followed.state = state;
  }

  #notify() {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const changed of waiters) changed();
  }
}

/** The state after a frame, as PROTOCOL.md says. */
function changedState(before, { event, seat, move, change = {} }) {
  const state = { ...before };
  if ("position" in change || "phase" in change) delete state.legal;
  if (event === "moved") Object.assign(state, { plies: state.plies + 1, last: { seat, move } });
  return merged(state, change);
}

/** A merge patch (RFC 7396). */
function merged(target, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/** The lobby after a change: entries leave, others come or are replaced, and both lists are in order. */
function changedLobby(lobby, { gone = [], open = [], playing = [] }) {
  const hasBot = ({ creator, joiner }) => Number([creator, joiner].some((player) => player?.kind === "bot"));
  const changed = (rows, added) => {
    const leaving = new Set([...gone, ...added.map((row) => row.code)]);
    const stay = rows.filter((row) => !leaving.has(row.code));
    return [...stay, ...added].sort((a, b) => hasBot(a) - hasBot(b) || b.created_at - a.created_at);
  };
  return { open: changed(lobby.open, open), playing: changed(lobby.playing, playing) };
}
