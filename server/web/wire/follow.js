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
    }
  }

  /** @param {import("./types.js").Presence} presence */
  meet({ connected, spectators }) {
    this.connected = new Set(connected);
    this.spectators = spectators;
    this.dispatchEvent(new Event("presence"));
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
