/**
 * The connection to the server: one WebSocket at a time, reopened whenever it closes. Requests without an answer are
 * sent again, and followed matches resume after the last version received, so that the rest of the page need not know
 * about reconnects.
 */
import { FollowedMatch } from "./followed_match.js";
import { changedLobby } from "./lobby_list.js";
import { OwnMatches } from "./own_matches.js";
import { Refusal, Requests, newId } from "./requests.js";
import { ServerClock } from "./server_clock.js";
import { clearStorage, identity, keyOf, settings } from "./storage.js";

const PROTOCOL = "fibfob.v1";
/** The shortest and the longest pause before reconnecting, in milliseconds. */
const RECONNECT_MIN_MS = 250;
const RECONNECT_MAX_MS = 8_000;
/** The silence after which the connection is checked, because a browser does not report the server's pings. */
const IDLE_MS = 25_000;
/** The same while a clock runs: a player has to learn in time that no move arrives. */
const IDLE_IN_TIME_MS = 8_000;
/** The silence after a command that starts a check. An answer usually needs a tenth of a second. */
const UNANSWERED_MS = 3_000;
/** The interval of the look for such a silence, and for a sleep of the device, in milliseconds. */
const LOOK_MS = 250;
/** The time for the answer to a check: some round trips, within these bounds, so that a slow network is not dead. */
const CHECK_MIN_MS = 2_000;
const CHECK_MAX_MS = 6_000;
const CHECK_ROUND_TRIPS = 4;
/** The time for a new connection until the server's `welcome`. A slow phone network needs half of it. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Requests after which the server sends the frames of a match. */
const FOLLOWING = new Set(["create", "fly", "join", "spectate"]);

let address = location.origin;

/** Returns the address at which others reach the server: the one that the operator has named, or this page's own. */
export function publicAddress() {
  return address;
}

/**
 * Dispatches `state` when the connection opens or closes or the name changes, `delayed` when the server has not taken a
 * request, which is sent again later, `lobby` when the lobby list changes,
 * `own` when the viewer's own matches change, with `{ before, now }` of each, `name-refused` with the refusal, and
 * `kept-away` with a `KeptAway`.
 *
 * @typedef {{ why: "signed_out" | "forgotten" | "banned", until: number }} KeptAway   a ban's end, in milliseconds
 */
export class Connection extends EventTarget {
  /** @type {WebSocket | null} */
  #socket = null;
  requests = new Requests(
    (message) => this.#send(message),
    () => this.dispatchEvent(new Event("delayed")),
  );
  /** @type {Map<string, FollowedMatch>} */
  #followed = new Map();
  #attempts = 0;
  #lastMessageAt = 0;
  /** The next attempt to connect: after a pause, or because the current one takes too long. */
  #reconnectTimer = 0;
  /** The end of a check that is under way, or 0. */
  #checkTimer = 0;
  /** The time from `hello` to `welcome`, in milliseconds. */
  #roundTrip = 0;
  #watchingLobby = false;
  own = new OwnMatches();
  /** The name before the last change of it. @type {string | null} */
  #nameBefore = null;
  #clock = new ServerClock();
  /** Whether the server has answered `hello` on the current socket. */
  open = false;
  /** The guest's public id. */
  guest = "";
  name = "";
  /** The server's key for push services; none if it calls nobody. @type {string | undefined} */
  pushKey;
  /** The names of the operator's texts, each the path where it is. @type {("contact" | "imprint" | "privacy")[]} */
  texts = [];
  /** The version of the page that the server has now, as in the addresses of its modules. */
  pageVersion = "";
  /** What the operator has said last, until the player closes it. */
  notice = "";
  /** Whether the guest is kept away; nothing is sent until it is another guest. */
  signedOut = false;
  /** @type {LobbyList | null} */
  lobby = null;

  start() {
    this.requests.restore();
    this.#connect();
    const look = () => document.visibilityState === "visible" && this.#wake();
    document.addEventListener("visibilitychange", look);
    addEventListener("pageshow", look);
    // A page that stands still reads nothing: whoever wants that is called in its place.
    document.addEventListener("freeze", () => settings().called && this.#disconnect());
    document.addEventListener("resume", look);
    addEventListener("online", () => this.#wake());
    addEventListener("offline", () => this.#socket?.close());
    // Another tab has become another guest, and all tabs are the same guest.
    addEventListener("storage", ({ key }) => {
      const [guest] = identity.token?.split(".") ?? [];
      if (key === keyOf("token") && guest && this.guest && guest !== this.guest.replaceAll("-", "")) location.reload();
      // An end was seen there.
      else if (key === keyOf("kept")) this.#takeOwn([]);
      // Without a token the guest was forgotten there, which the server tells here too.
      else if (key === keyOf("name") && identity.token) this.#connectAnew();
    });
    setInterval(() => {
      if (this.#clock.hasSlept()) this.#connectAnew();
      else if (this.open && this.#isTooSilent()) this.#check();
    }, LOOK_MS);
  }

  /**
   * Sends a request and returns its answer, across any number of reconnects. Commands in a match are also sent again
   * after a reload.
   * @template {RequestBody} B
   * @param {B} body
   * @returns {Promise<AnswerTo<B["type"]>>}
   */
  request(body) {
    return this.requests.make(body);
  }

  /** Follows the match of an answer from now on. @param {Accepted} accepted */
  follow({ match, code, muted }) {
    if (!match || !code) throw new Error("the answer names no match");
    const followed = this.#followed.get(match) ?? new FollowedMatch({ match, code }, () => this.guest);
    this.#followed.set(match, followed);
    followed.muted ||= muted ?? false;
    return followed;
  }

  /** @param {FollowedMatch} followed */
  unfollow(followed) {
    this.#followed.delete(followed.match);
    this.request({ type: "leave", match: followed.match }).catch(() => {});
  }

  /** Returns whether the viewer is shown the match. @param {string} match */
  isShown(match) {
    return this.#followed.has(match);
  }

  /** @param {GuestMatch[]} matches */
  #takeOwn(matches) {
    this.dispatchEvent(new CustomEvent("own", { detail: this.own.take(matches) }));
  }

  /** @type {(answer: { matches: GuestMatch[], more?: MatchPlace }) => Promise<void>} */
  async #takeOwnList({ matches, more }) {
    this.#takeOwn(matches);
    // If this fails, the next connection asks again.
    this.#takeOwn(await this.own.rest(this, matches, more).catch(() => []));
  }

  /** Holds also after reconnects. @type {(followed: FollowedMatch, muted: boolean) => void} */
  mute(followed, muted) {
    followed.muted = muted;
    this.request({ type: "mute", match: followed.match, muted }).catch(() => {});
  }

  /** Returns the time on the server's clock, in milliseconds since 1970. */
  now() {
    return this.#clock.now();
  }

  /** @param {boolean} watch */
  watchLobby(watch) {
    this.#watchingLobby = watch;
    this.request({ type: "lobby", watch }).catch(() => {});
  }

  /** @param {string} name */
  rename(name) {
    this.#nameBefore = identity.name;
    identity.name = name;
    this.#connectAnew();
  }

  /** Becomes the guest of a token, or a new one. @param {{ token?: string, name: string } | null} guest */
  become(guest) {
    identity.token = guest?.token ?? null;
    identity.name = guest?.name ?? null;
    this.#forget("this is another guest now");
    this.signedOut = false;
    this.#connectAnew();
  }

  /** Signs out the guest's other devices. Resolves when they are. */
  async signOutOthers() {
    const { token } = await this.request({ type: "identity", renew: true });
    identity.token = token ?? null;
    this.#connectAnew();
    // It is answered on a connection that has said `hello` with the new token.
    await this.request({ type: "identity" });
  }

  #endForgotten() {
    this.#keepAway("forgotten");
    this.#forget("this guest is forgotten");
    clearStorage();
  }

  /** @type {(why: KeptAway["why"], ms?: number) => void} */
  #keepAway(why, ms = 0) {
    this.signedOut = true;
    this.#disconnect();
    this.dispatchEvent(new CustomEvent("kept-away", { detail: { why, until: Date.now() + ms } }));
  }

  /** Gives up what belongs to the guest. @param {string} why */
  #forget(why) {
    this.requests.drop(new Error(why));
    this.#followed.clear();
    this.own.clear();
  }

  /** Connects at once, with a `hello` that has the newest token and name. */
  #connectAnew() {
    this.#attempts = 0;
    this.#connect();
  }

  #connect() {
    clearTimeout(this.#reconnectTimer);
    this.#disconnect();
    if (this.signedOut) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`, PROTOCOL);
    this.#socket = socket;
    this.#reconnectTimer = setTimeout(() => this.#reconnectLater(), CONNECT_TIMEOUT_MS);
    const { token, name } = identity;
    let greeted = 0;
    socket.onopen = () => {
      greeted = performance.now();
      this.#send({
        type: "hello",
        protocol: PROTOCOL,
        legal: "families",
        ...(name ? { name } : {}),
        ...(token ? { token } : {}),
      });
    };
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#lastMessageAt = performance.now();
      if (!this.open) this.#roundTrip = this.#lastMessageAt - greeted;
      this.#onMessage(JSON.parse(event.data), token);
    };
    socket.onclose = () => socket === this.#socket && this.#reconnectLater();
  }

  #disconnect() {
    const socket = this.#socket;
    this.#socket = null;
    if (socket) socket.onmessage = socket.onclose = null;
    socket?.close();
    clearTimeout(this.#checkTimer);
    this.#checkTimer = 0;
    this.requests.close();
    this.#setOpen(false);
  }

  /** @param {number} [after] */
  #reconnectLater(after) {
    this.#disconnect();
    const pause = Math.min(RECONNECT_MAX_MS, RECONNECT_MIN_MS * 2 ** this.#attempts++);
    clearTimeout(this.#reconnectTimer);
    // Random, so that the pages of a restarted server do not reconnect all at once.
    this.#reconnectTimer = setTimeout(() => this.#connect(), after ?? pause * (0.6 + 0.8 * Math.random()));
  }

  #wake() {
    if (!this.#socket || this.#clock.hasSlept()) this.#connectAnew();
    else if (this.open) this.#check();
  }

  /** Returns whether the server has been silent for longer than a live connection would be. */
  #isTooSilent() {
    const now = performance.now();
    const silence = now - this.#lastMessageAt;
    if (Math.min(silence, now - this.requests.oldestCommand) > UNANSWERED_MS) return true;
    if (document.visibilityState !== "visible") return false;
    const states = [...this.own.current, ...[...this.#followed.values()].map(({ state }) => state)];
    const isTimed = states.some((state) => state?.phase === "playing" && state.clocks);
    return silence > (isTimed ? IDLE_IN_TIME_MS : IDLE_MS);
  }

  /** Sends a request that changes nothing. If no message at all arrives in time, the connection is dead. */
  #check() {
    if (this.#checkTimer) return;
    const begun = performance.now();
    const timeout = Math.min(CHECK_MAX_MS, Math.max(CHECK_MIN_MS, CHECK_ROUND_TRIPS * this.#roundTrip));
    this.#checkTimer = setTimeout(() => {
      this.#checkTimer = 0;
      if (this.#lastMessageAt < begun) this.#reconnectLater(0);
    }, timeout);
    const [followed] = this.#followed.values();
    if (followed) this.#resume(followed);
    else this.request({ type: "lobby", watch: this.#watchingLobby }).catch(() => {});
  }

  /** The token is the one that was sent in `hello`. @type {(message: any, token: string | null) => unknown} */
  #onMessage(message, token) {
    switch (message.type) {
      case "welcome":
        return this.#onWelcome(message, token);
      case "refused":
        return this.#onRefused(message, token);
      case "frame":
      case "snapshot":
        return this.#onFrame(message);
      case "presence":
        return this.#followed.get(message.match)?.applyPresence(message);
      case "chat":
        return this.#followed.get(message.match)?.applyChat(message);
      case "lobby":
        this.lobby = message;
        return this.dispatchEvent(new Event("lobby"));
      case "lobby-change":
        this.lobby = changedLobby(this.lobby ?? { open: [], playing: [] }, message);
        return this.dispatchEvent(new Event("lobby"));
      case "matches-change":
        return this.#takeOwn(message.matches);
      case "notice":
        this.notice = message.text;
        return this.dispatchEvent(new Event("notice"));
      case "goodbye":
        // For good, which the server says to nobody else.
        if (message.retry_after_ms === undefined) return this.#endForgotten();
        return this.#reconnectLater(message.retry_after_ms);
      default:
        return this.#onAnswer(message);
    }
  }

  /** @type {(message: any, token: string | null) => void} */
  #onWelcome(message, token) {
    if (identity.token && token !== identity.token) {
      // Another tab became a guest meanwhile, and all tabs are the same guest.
      return this.#connect();
    }
    identity.token = message.token;
    address = message.public_url ?? location.origin;
    this.guest = message.guest;
    this.name = message.name;
    this.pushKey = message.push_key;
    this.texts = message.texts ?? [];
    this.pageVersion = message.page ?? "";
    this.#clock.set(message.now);
    this.#attempts = 0;
    clearTimeout(this.#reconnectTimer);
    for (const followed of this.#followed.values()) {
      this.#resume(followed);
      if (followed.muted) this.mute(followed, true);
    }
    if (this.#watchingLobby) this.#send({ type: "lobby", watch: true, id: newId() });
    this.#send({ type: "matches", watch: true, id: newId() });
    this.requests.open();
    this.#setOpen(true);
  }

  /** Resolves when it is answered. @type {(followed: FollowedMatch) => Promise<unknown>} */
  #resume(followed) {
    const { match, version } = followed;
    return this.request({ type: "resume", match, since: version }).catch((error) => {
      if (!(error instanceof Refusal) || followed !== this.#followed.get(match)) return;
      if (error.reason === "no-such-match") followed.lose();
      // The server has fewer versions than the page, so it was restored from a backup.
      else if (error.reason === "no-such-version" && followed.version === version) this.#followAnew(followed);
    });
  }

  /** @param {FollowedMatch} followed */
  #followAnew(followed) {
    followed.restart();
    this.#resume(followed);
  }

  /** @param {any} message a frame or a snapshot */
  #onFrame(message) {
    if (message.type === "frame") this.#clock.reach(message.at);
    const followed = this.#followed.get(message.match);
    if (followed && !followed.apply(message)) this.#followAnew(followed);
  }

  /** @param {any} message */
  #onAnswer(message) {
    const body = this.requests.answer(message);
    // The answer to the request that begins to watch.
    if (!body && message.type === "matches") this.#takeOwnList(message);
    // The first frame may be the next message.
    if (body && FOLLOWING.has(body.type)) this.follow(message);
  }

  /** @type {(message: Refused, token: string | null) => void} */
  #onRefused(message, token) {
    if (!message.id) {
      // Another tab may have stored another token meanwhile.
      if (token && identity.token !== token) return this.#reconnectLater(0);
      if (message.reason === "signed-out") return this.#keepAway("signed_out");
      if (message.reason === "banned") return this.#keepAway("banned", message.retry_after_ms);
      if (message.reason === "forgotten") return this.#endForgotten();
      if (message.reason === "bad-token") identity.token = null;
      else if (message.reason === "bad-name") {
        // The name before this one was accepted; one that comes from the storage may not have been.
        identity.name = this.#nameBefore;
        this.#nameBefore = null;
        this.dispatchEvent(new CustomEvent("name-refused", { detail: message }));
      } else if (message.retry) return this.#reconnectLater();
      else return;
      return this.#reconnectLater(0);
    }
    this.requests.refuse({ ...message, id: message.id });
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** @param {boolean} open */
  #setOpen(open) {
    if (open === this.open) return;
    this.open = open;
    this.dispatchEvent(new Event("state"));
  }
}
