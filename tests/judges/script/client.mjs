/**
 * A client written from PROTOCOL.md alone. It comes back by itself after a broken line, and it keeps a list of
 * `faults`: everything the server said that the text does not allow. Knows neither which WebSocket carries it nor any
 * game.
 */
import { firsts, moves, MOVES_MAX } from "./families.mjs";

export const PROTOCOL = "fibfob.v1";
/** What each event says, beside `version`, `at` and its name. Kinds that are not listed are kept by name only. */
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
const ANSWERS = new Set(["accepted", "refused", "preview", "analysis", "review"]);
/** Before another try after a line that broke without a word, and before a request with `retry` is sent again. */
const PAUSE_MS = 50;

export class Client {
  /** Requests that wait for their answer, in the order in which they were made. */
  #pending = new Map();
  /** Everything that was ever asked, so that it can be asked again. */
  #asked = new Map();
  #waiting = new Set();
  #strayed = [];
  #socket;
  #open;
  #url;
  #name;
  #count = 0;
  #mark = Math.random().toString(36).slice(2, 10);
  #pause = PAUSE_MS;
  #ended = false;
  welcome = null;
  lobby = null;
  lines = 0;
  closes = [];
  faults = [];
  matches = new Map();
  /** How often each type of message was heard. */
  heard = {};

  /**
   * @param {(url: string, protocol: string) => WebSocket} open
   * @param {{ url: string, name: string }} who
   */
  constructor(open, { url, name }) {
    this.#open = open;
    this.#url = url;
    this.#name = name;
    this.#connect();
  }

  /** Resolves when `test` holds; looks again after everything that is heard. */
  async until(test) {
    while (!test()) {
      await new Promise((heard) => this.#waiting.add(heard));
    }
  }

  /** Sends a request and gives its answer, however often the line breaks between. */
  request(fields) {
    const id = fields.id ?? `${this.#mark}-${(this.#count += 1)}`;
    return this.#ask({ ...fields, id });
  }

  /** Sends an earlier request again, word for word. */
  repeat(id) {
    const request = this.#asked.get(id);
    if (!request) throw new Error(`nothing was asked as ${id}`);
    return this.#ask(request);
  }

  /** Sends any text and gives the next answer that no request of ours has. */
  async say(text) {
    const before = this.#strayed.length;
    this.#socket.send(text);
    await this.until(() => this.#strayed.length > before);
    return this.#strayed[before];
  }

  /** Plays whenever it is our turn, until the match is over or at `until`. */
  async playOn(match, { until = Infinity, long = false } = {}) {
    await this.until(() => this.matches.get(match)?.state);
    const seen = this.matches.get(match);
    while (seen.state.phase !== "over" && seen.state.phase !== "closed" && seen.version < until) {
      const { version, state } = seen;
      if (state.phase === "playing" && state.turn === seen.seat) {
        const choice = long ? firsts(state.legal) : moves(state.legal);
        const move = choice[(version * 7919 + 13) % choice.length];
        const answer = await this.request({ type: "play", match, expecting: version, move });
        if (answer.type !== "accepted") {
          this.faults.push(`our own legal move ${move} was answered by ${JSON.stringify(answer)}`);
          return seen;
        }
        await this.until(() => seen.version >= answer.version);
        const event = seen.events[answer.version - 1];
        if (event.event !== "moved" || event.seat !== seen.seat || event.move !== move) {
          this.faults.push(`version ${answer.version} should be our move ${move}, and is ${JSON.stringify(event)}`);
        }
      } else {
        await this.until(() => seen.version > version);
      }
    }
    return seen;
  }

  close() {
    this.#ended = true;
    this.#socket.close(1000);
  }

  #ask(request) {
    this.#asked.set(request.id, request);
    return new Promise((answered) => {
      this.#pending.set(request.id, { request, answered });
      if (this.welcome && this.#socket.readyState === 1) this.#send(request);
    });
  }

  #send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  #connect() {
    const socket = this.#open(this.#url, PROTOCOL);
    this.#socket = socket;
    let greeted = false;
    socket.addEventListener("open", () => {
      const token = this.welcome?.token;
      socket.send(JSON.stringify({ type: "hello", protocol: PROTOCOL, name: this.#name, ...(token && { token }) }));
    });
    socket.addEventListener("error", () => {}); // `close` follows and says all there is to know.
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.#socket) return;
      if (typeof data !== "string") this.faults.push("a frame that is no text");
      const message = JSON.parse(data);
      if (message.type === "welcome") {
        if (greeted) this.faults.push("a second welcome");
        greeted = true;
        this.#greeted(message);
      } else {
        this.#hear(message);
      }
      this.#wake();
    });
    socket.addEventListener("close", ({ code }) => {
      this.closes.push(code);
      if (!this.#ended) setTimeout(() => this.#connect(), this.#pause);
      this.#pause = PAUSE_MS;
      this.#wake();
    });
  }

  #greeted(welcome) {
    this.lines += 1;
    if (this.welcome && this.welcome.guest !== welcome.guest) this.faults.push("another guest for the same token");
    this.welcome = welcome;
    // Our own resumes of the line before are void: those that follow now say more.
    for (const [id, { own }] of this.#pending) if (own) this.#pending.delete(id);
    const unanswered = [...this.#pending.values()];
    for (const [match, { version }] of this.matches) {
      const id = `${this.#mark}-r${(this.#count += 1)}`;
      const request = { type: "resume", id, match, since: version };
      this.#pending.set(id, {
        request,
        own: true,
        answered: (answer) => answer.type !== "accepted" && this.faults.push(`resume: ${answer.reason}`),
      });
      this.#send(request);
    }
    for (const { request } of unanswered) this.#send(request);
  }

  #hear(message) {
    this.heard[message.type] = (this.heard[message.type] ?? 0) + 1;
    if (ANSWERS.has(message.type)) this.#answer(message);
    else if (message.type === "frame") this.#event(message, message);
    else if (message.type === "snapshot") {
      for (const event of message.events) this.#event(message, event, event.version === message.version);
    } else if (message.type === "presence") this.#followed(message.match).presence = message;
    else if (message.type === "lobby") this.lobby = message;
    else if (message.type === "goodbye") this.#pause = message.retry_after_ms;
    // Anything else is from a later version of the protocol.
  }

  #answer(answer) {
    const waiting = this.#pending.get(answer.id);
    if (!waiting) {
      this.#strayed.push(answer);
      return;
    }
    if (answer.type === "refused" && answer.retry) {
      setTimeout(
        () => this.#pending.has(answer.id) && this.#socket.readyState === 1 && this.#send(waiting.request),
        PAUSE_MS,
      );
      return;
    }
    this.#pending.delete(answer.id);
    if (answer.type === "accepted" && answer.match) {
      if (waiting.request.type === "leave") this.matches.delete(answer.match);
      else if (answer.seat) this.#followed(answer.match).seat = answer.seat;
    }
    waiting.answered(answer);
  }

  #followed(match) {
    if (!this.matches.has(match)) {
      this.matches.set(match, { version: 0, events: [], state: null, seat: null, presence: null });
    }
    return this.matches.get(match);
  }

  #event({ match, state }, told, newest = true) {
    const seen = this.#followed(match);
    const fields = FIELDS[told.event] ?? [];
    const event = Object.fromEntries(["version", "at", "event", ...fields].map((name) => [name, told[name]]));
    if (event.version <= seen.version) {
      // It comes again for who asks again; then it is what it was.
      this.heard.again = (this.heard.again ?? 0) + 1;
      if (JSON.stringify(event) !== JSON.stringify(seen.events[event.version - 1])) {
        this.faults.push(`version ${event.version} is another now`);
      }
      return;
    }
    if (event.version !== seen.version + 1) this.faults.push(`version ${event.version} came after ${seen.version}`);
    if (event.event === "moved" && seen.state?.legal) {
      const legal = moves(seen.state.legal);
      if (legal.length < MOVES_MAX && !legal.includes(event.move)) {
        this.faults.push(`${event.move} was played and not in the legal families`);
      }
    }
    seen.events.push(event);
    seen.version = event.version;
    seen.state = newest ? state : null;
  }

  #wake() {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const heard of waiting) heard();
  }
}
