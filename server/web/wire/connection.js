/**
 * The line to the server: one socket at a time, renewed whenever it breaks. What was asked and not answered is asked
 * again under the same id, and every followed match goes on from the last version seen; so nothing above this file
 * knows whether the line broke in between.
 *
 * @typedef {import("./types.js").Accepted} Accepted
 * @typedef {object} Asked
 * @property {string} id
 * @property {{ type: string, [field: string]: any }} ask
 * @property {boolean} sent
 * @property {(value: any) => void} answer
 * @property {(why: Error) => void} fail
 */
import { Follow } from "./followed_match.js";
import { identity } from "./storage.js";
import { Refusal } from "./refusal.js";
import { forget, keep, unsent } from "./pending_commands.js";

const PROTOCOL = "fibfob.v1";
/** Pauses before the next try, in milliseconds. */
const PAUSE_LEAST = 250;
const PAUSE_MOST = 8_000;
/** The pause before a refused request that may succeed later is sent again. */
const RETRY_PAUSE = 400;
/** Silence after which the line is tested: a browser does not show the server's pings. */
const QUIET_MS = 25_000;
/** How long the answer to a test may take. */
const TEST_MS = 6_000;
/** Below the server's own bound, so that a test still fits. */
const IN_FLIGHT = 6;
/** Requests after which the server sends a match's frames. */
const FOLLOWING = new Set(["create", "join", "spectate"]);
/** What somebody does in a match that has an address: it is sent also after a reload. */
const KEPT = new Set([
  "join",
  "choose",
  "play",
  "resign",
  "claim",
  "offer-takeback",
  "answer-takeback",
  "offer-rematch",
  "accept-rematch",
]);

export class Line extends EventTarget {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<string, Asked>} */
  #asked = new Map();
  /** @type {Map<string, Follow>} */
  #follows = new Map();
  /**
   * Moves that were given before a reload, by their match.
   * @type {Map<string, { move: string, answer: Promise<any> }>}
   */
  #before = new Map();
  #tries = 0;
  #heard = 0;
  #timer = 0;
  #watching = false;
  /** How far the server's clock is before this machine's, in milliseconds. */
  #ahead = 0;
  /** Whether the server has said who we are on this socket. */
  open = false;
  /** Our public id. */
  guest = "";
  name = "";
  /** @type {import("./types.js").LobbyList | null} */
  lobby = null;

  start() {
    for (const { id, ask } of unsent()) {
      const answer = this.#ask(id, ask);
      answer.catch(() => {});
      if (ask.type === "play") this.#before.set(ask.match, { move: ask.move, answer });
    }
    this.#connect();
    const wake = () => document.visibilityState === "visible" && this.#wake();
    document.addEventListener("visibilitychange", wake);
    addEventListener("pageshow", wake);
    addEventListener("online", () => this.#wake());
    addEventListener("offline", () => this.#socket?.close());
    setInterval(() => {
      if (this.open && document.visibilityState === "visible" && performance.now() - this.#heard > QUIET_MS) {
        this.#test();
      }
    }, QUIET_MS / 2);
  }

  /**
   * Asks for something. The promise outlives any number of broken lines; what is done in a match, also a reload.
   * @param {{ type: string, [field: string]: any }} ask
   * @returns {Promise<any>}
   */
  request(ask) {
    const id = unique();
    if (KEPT.has(ask.type)) keep({ id, ask });
    return this.#ask(id, ask);
  }

  /**
   * The move that was given in a match before this page was loaded, and its answer; told once.
   * @param {string} match
   */
  before(match) {
    const move = this.#before.get(match) ?? null;
    this.#before.delete(match);
    return move;
  }

  /**
   * @param {string} id
   * @param {Asked["ask"]} ask
   * @returns {Promise<any>}
   */
  #ask(id, ask) {
    return new Promise((answer, fail) => {
      this.#asked.set(id, { id, ask, sent: false, answer, fail });
      this.#flush();
    });
  }

  /**
   * The match that an answer was about, followed from now on.
   * @param {Accepted} accepted
   */
  follow({ match, code, seat }) {
    if (!match || !code) throw new Error("the answer names no match");
    const follow = this.#followed(match, code);
    follow.seat = seat ?? null;
    return follow;
  }

  /** @param {Follow} follow */
  unfollow(follow) {
    // Leaving an open match of one's own would take it back; it stays followed then, silently.
    if (follow.seat !== null && follow.state?.phase === "open") return;
    this.#follows.delete(follow.match);
    this.request({ type: "leave", match: follow.match }).catch(() => {});
  }

  /** The time on the server's clock, in milliseconds since 1970. */
  now() {
    return Date.now() + this.#ahead;
  }

  /** @param {boolean} watch */
  watchLobby(watch) {
    if (watch === this.#watching) return;
    this.#watching = watch;
    this.request({ type: "lobby", watch }).catch(() => {});
  }

  /** @param {string} name */
  rename(name) {
    identity.name = name;
    // A name belongs to a connection's first words.
    this.#socket?.close();
    this.#tries = 0;
    this.#connect();
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#drop();
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, PROTOCOL);
    this.#socket = socket;
    const token = identity.token;
    const name = identity.name;
    socket.onopen = () =>
      this.#send({ type: "hello", protocol: PROTOCOL, ...(name ? { name } : {}), ...(token ? { token } : {}) });
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#heard = performance.now();
      this.#read(JSON.parse(event.data), token);
    };
    socket.onclose = () => socket === this.#socket && this.#later();
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    if (socket) socket.onmessage = socket.onclose = null;
    socket?.close();
    this.#note(false);
    for (const asked of this.#asked.values()) asked.sent = false;
  }

  /** @param {number} [after] */
  #later(after) {
    this.#drop();
    const pause = Math.min(PAUSE_MOST, PAUSE_LEAST * 2 ** this.#tries++);
    clearTimeout(this.#timer);
    // Spread, so that not all pages of a restarted server come at once.
    this.#timer = setTimeout(() => this.#connect(), after ?? pause * (0.6 + 0.8 * Math.random()));
  }

  #wake() {
    if (!this.#socket) {
      this.#tries = 0;
      this.#connect();
    } else if (this.open) this.#test();
  }

  /** Asks something that changes nothing; no answer in time means that the line is dead. */
  #test() {
    const [follow] = this.#follows.values();
    const ask = follow
      ? { type: "resume", match: follow.match, since: follow.version }
      : { type: "lobby", watch: this.#watching };
    const socket = this.#socket;
    const dead = setTimeout(() => socket === this.#socket && this.#later(0), TEST_MS);
    const answered = () => clearTimeout(dead);
    this.request(ask).then(answered, answered);
  }

  /**
   * @param {any} message
   * @param {string | null} token what was said in hello
   */
  #read(message, token) {
    switch (message.type) {
      case "welcome":
        return this.#welcome(message, token);
      case "accepted":
      case "preview":
      case "analysis":
      case "review":
        return this.#answered(message);
      case "refused":
        return this.#refused(message);
      case "frame":
      case "snapshot":
        return this.#follows.get(message.match)?.take(message);
      case "presence":
        return this.#follows.get(message.match)?.meet(message);
      case "chat":
        return this.#follows.get(message.match)?.hear(message);
      case "lobby":
        this.lobby = message;
        return this.dispatchEvent(new Event("lobby"));
      case "goodbye":
        return this.#later(message.retry_after_ms ?? PAUSE_MOST);
    }
  }

  /**
   * @param {any} message
   * @param {string | null} token
   */
  #welcome(message, token) {
    const kept = identity.token;
    if (!token && kept) {
      // Another tab became a guest meanwhile: one person, one guest.
      return this.#connect();
    }
    identity.token = message.token;
    this.guest = message.guest;
    this.name = message.name;
    if (message.now) this.#ahead = message.now - Date.now();
    this.#tries = 0;
    for (const follow of this.#follows.values()) {
      this.#resume(follow.match, follow.version);
      if (follow.muted) follow.mute(true, this);
    }
    if (this.#watching) this.#sendAs(unique(), { type: "lobby", watch: true });
    this.#note(true);
    this.#flush();
  }

  /**
   * @param {string} match
   * @param {number} since
   */
  #resume(match, since) {
    this.request({ type: "resume", match, since }).catch((why) => {
      // `stale`: the server has lost what this page has already seen.
      if (why instanceof Refusal && (why.reason === "no-such-match" || why.reason === "stale")) {
        this.#follows.get(match)?.lose();
      }
    });
  }

  /** @param {any} message */
  #answered(message) {
    const asked = this.#asked.get(message.id);
    if (!asked) return;
    this.#asked.delete(message.id);
    forget(message.id);
    // Known before its first frame comes, which may be in the very next message.
    if (FOLLOWING.has(asked.ask.type)) this.#followed(message.match, message.code);
    asked.answer(message);
    this.#flush();
  }

  /** @param {import("./types.js").Refused} message */
  #refused(message) {
    if (message.id === null) {
      if (message.reason === "bad-token") identity.token = null;
      else if (message.reason === "bad-name") identity.name = null;
      else return;
      return this.#later(0);
    }
    const asked = this.#asked.get(message.id);
    if (!asked) return;
    if (message.retry) {
      setTimeout(() => {
        asked.sent = false;
        this.#flush();
      }, RETRY_PAUSE);
      return;
    }
    this.#asked.delete(message.id);
    forget(message.id);
    asked.fail(new Refusal(message));
    this.#flush();
  }

  #flush() {
    if (!this.open) return;
    let sent = 0;
    for (const asked of this.#asked.values()) {
      if (!asked.sent && sent < IN_FLIGHT) {
        asked.sent = true;
        this.#sendAs(asked.id, asked.ask);
      }
      sent += Number(asked.sent);
    }
  }

  /**
   * @param {string} id
   * @param {object} ask
   */
  #sendAs(id, ask) {
    this.#send({ ...ask, id });
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /**
   * @param {string} match
   * @param {string} code
   */
  #followed(match, code) {
    let follow = this.#follows.get(match);
    if (!follow) {
      follow = new Follow(match, code);
      this.#follows.set(match, follow);
    }
    return follow;
  }

  /** @param {boolean} open */
  #note(open) {
    if (open === this.open) return;
    this.open = open;
    this.dispatchEvent(new Event("state"));
  }
}

/** An id that nobody else uses; `randomUUID` exists only on secure addresses. */
function unique() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
