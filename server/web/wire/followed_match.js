/**
 * A followed match: all plies so far and the newest state. A frame may arrive twice; each version counts once.
 *
 * @typedef {{ version: number, at: number, seat: Seat, move: string, position: string | null }} Ply
 */

/** The number of chat lines that are kept, as on the server. */
const CHAT_LINES_MAX = 50;

/**
 * Dispatches `change` with the new events as `detail`, `presence`, `chat`, and `restored` when the history begins anew.
 */
export class FollowedMatch extends EventTarget {
  version = 0;
  /** @type {State | null} */
  state = null;
  /** @type {Ply[]} */
  plies = [];
  /** @type {Set<Seat>} */
  connected = new Set();
  spectators = 0;
  /** The players with the names of the time when they took their seats. @type {State["players"] | null} */
  #players = null;
  /** The names that players have taken since. @type {{ seat: Seat, name: string }[]} */
  #renamed = [];
  /** The times, on the server's clock, since when players are away. @type {Map<Seat, number>} */
  away = new Map();
  /** The chat lines of the viewer's channel, the oldest first. @type {ChatLine[]} */
  chat = [];
  muted = false;
  /** The words of the operator who has closed the match. */
  stopped = "";
  /** Whether the server no longer has this match. */
  lost = false;
  /** Whether the history was restarted and has not matched the server's state since. */
  #restarted = false;

  /** The viewer's public id, which is another one after a token that the server no longer knows. */
  #guest;

  /** @param {MatchRef} named @param {() => string} guest the viewer's public id */
  constructor({ match, code }, guest) {
    super();
    this.match = match;
    this.code = code;
    this.#guest = guest;
  }

  /** The viewer's seat, taken in whatever tab; `null` for spectators. */
  get seat() {
    return this.state && (seatOf(this.state, this.#guest()) ?? null);
  }

  /**
   * Applies a frame or a snapshot. Returns `false` if the history so far contradicts the server's state, which happens
   * when the server was restored from a backup and the match was played on differently. After `restart` it returns
   * `true` until the history matches, so that one contradiction restarts it once.
   * @param {Frame | Snapshot} message
   */
  apply(message) {
    const events = message.type === "snapshot" ? message.events : [message];
    const fresh = events.filter((event) => event.version > this.version);
    if (message.type === "snapshot") {
      if (message.version < this.version) return true;
      this.state = message.state;
      this.spectators = message.state.spectators;
    } else {
      if (!fresh.length) return true;
      // A frame without the state that it changes: the server and this page disagree.
      if (!this.state || message.version !== this.version + 1) return false;
      this.state = changedState({ ...this.state, players: this.#players ?? this.state.players }, message);
    }
    this.#showNames(this.state.players);
    for (const event of fresh) this.#applyEvent(event);
    this.version = message.version;
    const state = this.state;
    const last = this.plies.at(-1);
    const consistent = this.plies.length === state.plies && last?.move === state.last?.move;
    if (last && consistent) last.position = state.position;
    this.dispatchEvent(new CustomEvent("change", { detail: fresh }));
    this.#restarted &&= !consistent;
    return consistent || this.#restarted;
  }

  /** @param {TimedEvent} event */
  #applyEvent(event) {
    if (event.event === "moved" && event.seat && event.move) {
      const { version, at, seat, move, position = null } = event;
      this.plies.push({ version, at, seat, move, position });
    } else if (event.event === "stopped") this.stopped = event.text ?? "";
    else if (event.event === "taken-back") this.plies.splice(this.plies.length - (event.plies ?? 0));
  }

  /** Forgets the history, because the server was restored from a backup that has another one. */
  restart() {
    this.version = 0;
    this.state = null;
    this.plies = [];
    this.#restarted = true;
    this.dispatchEvent(new Event("restored"));
  }

  /** @param {Presence} presence */
  applyPresence({ connected, away = [], renamed = [], spectators }) {
    this.connected = new Set(connected);
    this.away = new Map(away.map(({ seat, since }) => [seat, since]));
    this.spectators = spectators;
    this.#renamed = renamed;
    if (this.#players) this.#showNames(this.#players);
    this.dispatchEvent(new Event("presence"));
  }

  /** Gives the players of the state their newest names. @param {State["players"]} players */
  #showNames(players) {
    if (!this.state) return;
    this.#players = players;
    const shown = { ...players };
    for (const { seat, name } of this.#renamed) {
      const player = shown[seat];
      if (player && "name" in player) shown[seat] = { ...player, name };
    }
    this.state = { ...this.state, players: shown };
  }

  /** @param {ChatMessage} message */
  applyChat({ lines }) {
    // Another server of the same store does not know that it is muted.
    if (this.muted) return;
    const newest = this.chat.at(-1)?.number ?? 0;
    this.chat.push(...lines.filter(({ number }) => number > newest));
    this.chat.splice(0, this.chat.length - CHAT_LINES_MAX);
    this.dispatchEvent(new Event("chat"));
  }

  /** Marks the match as unknown to the server. */
  lose() {
    this.lost = true;
    this.dispatchEvent(new CustomEvent("change", { detail: [] }));
  }

  /** Returns the position after `ply` moves; `null` if the server has not sent it. @param {number} ply */
  position(ply) {
    return ply === 0 ? (this.state?.start ?? null) : (this.plies[ply - 1]?.position ?? null);
  }
}

/** @type {(state: State, guest: string) => Seat | undefined} */
export function seatOf({ players }, guest) {
  return /** @type {const} */ (["creator", "joiner"]).find((seat) => {
    const player = players[seat];
    return !!player && "guest" in player && player.guest === guest;
  });
}

/** Returns the state after a frame, as PROTOCOL.md says. @type {(before: State, frame: Frame) => State} */
function changedState(before, { event, seat, move, change = {} }) {
  const state = { ...before };
  if ("position" in change || "phase" in change) delete state.legal;
  if (event === "moved" && seat && move) Object.assign(state, { plies: state.plies + 1, last: { seat, move } });
  return merged(state, change);
}

/** Returns `target` after a merge patch (RFC 7396). @type {(target: any, patch: any) => any} */
function merged(target, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}
