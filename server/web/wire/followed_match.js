/**
 * One followed match: every ply so far, and the newest state. Frames may come twice; each counts once.
 *
 * @typedef {import("./types.js").Seat} Seat
 * @typedef {import("./types.js").Happening} Happening
 * @typedef {{ version: number, at: number, seat: Seat, move: string, position: string | null }} Ply
 */
export class Follow extends EventTarget {
  version = 0;
  /** @type {import("./types.js").State | null} */
  state = null;
  /** @type {Ply[]} */
  plies = [];
  /** @type {Seat | null} */
  seat = null;
  /** @type {Set<Seat>} */
  connected = new Set();
  spectators = 0;
  /** Since when a player is away, on the server's clock. @type {Map<Seat, number>} */
  away = new Map();
  /** What was said in the viewer's room, the oldest first. @type {import("./types.js").Said[]} */
  said = [];
  muted = false;
  /** The server does not know this match any more. */
  lost = false;

  /**
   * @param {string} match
   * @param {string} code
   */
  constructor(match, code) {
    super();
    this.match = match;
    this.code = code;
  }

  /** @param {import("./types.js").Frame | import("./types.js").Snapshot} message */
  take(message) {
    const events = message.type === "snapshot" ? message.events : [message];
    const fresh = events.filter((event) => event.version > this.version);
    if (!fresh.length) return;
    for (const event of fresh) this.#note(event);
    this.version = message.version;
    this.state = message.state;
    this.spectators = message.state.spectators;
    const last = this.plies.at(-1);
    if (last && last.version <= message.version && this.plies.length === message.state.plies) {
      last.position = message.state.position;
    }
    this.dispatchEvent(new CustomEvent("change", { detail: fresh }));
  }

  /** @param {Happening} event */
  #note(event) {
    if (event.event === "moved" && event.seat && event.move) {
      const { version, at, seat, move } = event;
      this.plies.push({ version, at, seat, move, position: null });
    } else if (event.event === "taken-back") this.plies.splice(this.plies.length - (event.plies ?? 0));
  }

  /** @param {import("./types.js").Presence} presence */
  meet({ connected, away = [], spectators }) {
    this.connected = new Set(connected);
    this.away = new Map(away.map(({ seat, since }) => [seat, since]));
    this.spectators = spectators;
    this.dispatchEvent(new Event("presence"));
  }

  /** @param {import("./types.js").Talk} talk */
  hear({ lines: said }) {
    const newest = this.said.at(-1)?.number ?? 0;
    this.said.push(...said.filter(({ number }) => number > newest));
    this.said.splice(0, this.said.length - SAID_MOST);
    this.dispatchEvent(new Event("talk"));
  }

  /**
   * @param {boolean} muted
   * @param {import("./connection.js").Line} line
   */
  mute(muted, line) {
    this.muted = muted;
    line.request({ type: "mute", match: this.match, muted }).catch(() => {});
  }

  lose() {
    this.lost = true;
    this.dispatchEvent(new CustomEvent("change", { detail: [] }));
  }

  /**
   * The position after `ply` moves; none where it was not told.
   * @param {number} ply
   */
  position(ply) {
    return ply === 0 ? (this.state?.start ?? null) : (this.plies[ply - 1]?.position ?? null);
  }
}

/** Things said that are remembered, as the server does. */
const SAID_MOST = 50;
