/** What the server says of a whole match: who could win after each ply, and which moves gave the win away. */
import { other } from "../player_names.js";

export class Review {
  /** The start and the plies that count. @type {ReviewPly[]} */
  plies = [];
  /** Whether the newest ply is not reviewed yet. */
  awaited = true;
  #at = 0;

  /** @param {ShownMatch} view */
  constructor(view) {
    this.view = view;
  }

  get allowed() {
    const { phase, learning } = this.view.state;
    return phase === "over" || (phase === "playing" && !!learning);
  }

  update() {
    const { page, followed, refresh } = this.view;
    if (!this.allowed || this.#at === followed.version) return;
    this.#at = followed.version;
    this.awaited = true;
    page.connection.request({ type: "review", match: followed.match }).then(
      ({ plies }) => {
        this.#take(plies);
        refresh();
      },
      () => ((this.awaited = false), refresh()),
    );
  }

  /** @param {ReviewPly[]} reviewed */
  #take(reviewed) {
    const { plies } = this.view.followed;
    // A review also walks moves that were taken back, and the positions after a takeback.
    const versions = new Set(plies.map(({ version }) => version));
    this.plies = reviewed.filter(({ version }, index) => index === 0 || versions.has(version));
    this.awaited = false;
    // After a snapshot, earlier plies have no positions; the review has them.
    for (const { version, position } of reviewed) {
      const ply = plies.find((ply) => ply.version === version);
      if (ply) ply.position ??= position;
    }
  }

  /** Returns the seat that could win after so many plies; null if that is not known. @param {number} ply */
  winner(ply) {
    const { outcome, nimber, seat } = this.plies[ply] ?? {};
    const first = this.view.state.first === "joiner" ? "joiner" : "creator";
    const mover = seat ?? other(this.plies[1]?.seat ?? first);
    if (outcome === "P" || nimber === 0) return mover;
    return outcome === "N" || nimber !== undefined ? other(mover) : null;
  }

  /** Returns whether a ply gave the win away. @param {number} ply */
  turns(ply) {
    return !!this.plies[ply]?.gave_away;
  }

  /** Returns the plies, from 1, at which a seat, or any, gave the win away. @param {Seat | null} [by] */
  turningPoints(by = null) {
    const all = this.plies.map((_, ply) => ply).filter((ply) => this.turns(ply));
    return by ? all.filter((ply) => this.plies[ply].seat === by) : all;
  }
}
