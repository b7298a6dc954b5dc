/**
 * The requests without an answer. They are sent again under the same id on every new connection, and commands in a
 * match also after a reload of the page.
 *
 * @typedef {object} PendingRequest
 * @property {string} id
 * @property {RequestBody} body
 * @property {boolean} paused refused with `retry`, and to be sent again later
 * @property {number} sentAt   when it was sent, as `performance.now()` counts; infinite while it waits
 * @property {RefusalReason} [delayed]   why the server did not take it, until it is sent again and answered
 * @property {number} tries   how often that happened
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 */
import { pendingCommands, storeCommands } from "./storage.js";

/** The pause before a request that was refused with `retry` is sent again, in milliseconds; it doubles each time. */
const RETRY_MS = 400;
/** The longest such pause, in milliseconds, in which a person is left waiting for a new match. */
const WAITING_MS_MAX = 8000;
/** Requests that a person makes again by hand, if they have to wait for longer. */
const MADE_BY_HAND = new Set(["create", "fly"]);
const RETRY_MAX_MS = 8_000;
/** The number of requests that are sent at once; below the server's limit, so that a check still fits. */
const IN_FLIGHT_MAX = 6;
/** Commands in a match, which are sent again after a reload of the page. */
const STORED = new Set([
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

/** The error of a refused request, with the server's reason and its English message. */
export class Refusal extends Error {
  /** @param {{ reason: RefusalReason, message: string }} refused */
  constructor(refused) {
    super(refused.message);
    this.reason = refused.reason;
  }
}

export class Requests {
  #send;
  #open = false;
  /** @type {Map<string, PendingRequest>} */
  #pending = new Map();
  /** The moves sent before a reload, by match. @type {Map<string, { move: string, answer: Promise<any> }>} */
  #resentMoves = new Map();

  #onDelay;

  /**
   * @param {(message: object) => void} send   sends a message on the current connection
   * @param {() => void} onDelay   is told when a request has to be sent again later
   */
  constructor(send, onDelay) {
    this.#send = send;
    this.#onDelay = onDelay;
  }

  /** Takes up the commands that were sent and not answered before a reload. */
  restore() {
    for (const { id, body } of pendingCommands()) {
      const answer = this.#add(id, body);
      answer.catch(() => {});
      if (body.type === "play") this.#resentMoves.set(body.match, { move: body.move, answer });
    }
  }

  /** Sends a request as soon as it can be sent, and returns its answer. @type {(body: RequestBody) => Promise<any>} */
  make(body) {
    const id = newId();
    if (STORED.has(body.type)) storeCommands([...pendingCommands(), { id, body }]);
    return this.#add(id, body);
  }

  /** When the oldest command without an answer was sent, as `performance.now()` counts; infinite without one. */
  get oldestCommand() {
    const commands = [...this.#pending.values()].filter(({ body }) => STORED.has(body.type));
    return Math.min(Infinity, ...commands.map(({ sentAt }) => sentAt));
  }

  /** Returns why the server has not taken the move in a match, if one waits there. @param {string} match */
  delayOf(match) {
    return [...this.#pending.values()].find(({ body }) => body.type === "play" && body.match === match)?.delayed;
  }

  /** Returns the move that was sent before a reload, once. @param {string} match */
  takeResentMove(match) {
    const move = this.#resentMoves.get(match) ?? null;
    this.#resentMoves.delete(match);
    return move;
  }

  /** Sends what is waiting: the server has answered `hello`. */
  open() {
    this.#open = true;
    this.#flush();
  }

  /** Sends nothing more until `open`, which sends everything without an answer again. */
  close() {
    this.#open = false;
    for (const request of this.#pending.values()) Object.assign(request, { sentAt: Infinity, paused: false });
  }

  /** Resolves a request. Returns its body, or null if none is pending. @type {(message: any) => RequestBody | null} */
  answer(message) {
    const request = this.#take(message.id);
    if (!request) return null;
    request.resolve(message);
    this.#flush();
    return request.body;
  }

  /** Rejects a request, or sends it again later. @param {Refused & { id: string }} message */
  refuse(message) {
    const request = this.#pending.get(message.id);
    const doubled = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** (request?.tries ?? 0));
    const pause = Math.max(doubled, message.retry_after_ms ?? 0);
    if (message.retry && request && !(pause > WAITING_MS_MAX && MADE_BY_HAND.has(request.body.type))) {
      // While it waits, it takes no place of the requests that are sent at once.
      Object.assign(request, { sentAt: Infinity, paused: true, delayed: message.reason, tries: request.tries + 1 });
      this.#onDelay();
      const sendAgain = () => {
        request.paused = false;
        this.#flush();
      };
      setTimeout(sendAgain, pause);
      return this.#flush();
    }
    this.#take(message.id)?.reject(new Refusal(message));
    this.#flush();
  }

  /** Rejects all requests, which are never sent again. @param {Error} error */
  drop(error) {
    storeCommands(pendingCommands().filter(({ id }) => !this.#pending.has(id)));
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#resentMoves.clear();
  }

  /** @type {(id: string, body: RequestBody) => Promise<any>} */
  #add(id, body) {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { id, body, sentAt: Infinity, paused: false, tries: 0, resolve, reject });
      this.#flush();
    });
  }

  /** @param {string} id */
  #take(id) {
    const request = this.#pending.get(id);
    if (!request) return null;
    this.#pending.delete(id);
    if (STORED.has(request.body.type)) storeCommands(pendingCommands().filter((command) => command.id !== id));
    return request;
  }

  #flush() {
    if (!this.#open) return;
    let inFlight = 0;
    for (const request of this.#pending.values()) {
      if (request.sentAt === Infinity && !request.paused && inFlight < IN_FLIGHT_MAX) {
        request.sentAt = performance.now();
        this.#send({ ...request.body, id: request.id });
      }
      inFlight += Number(request.sentAt < Infinity);
    }
  }
}

/** Returns an id that nobody else uses. `randomUUID` exists only in secure contexts. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
