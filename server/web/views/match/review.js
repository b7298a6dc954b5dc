/** What the server says of a whole match: who could win after each ply, and which moves gave the win away. */
export class Review {
  /** The start and the plies that count. @type {ReviewPly[]} */
  plies = [];
  /** What decided the match. @type {Verdict | undefined} */
  verdict;
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
      (answer) => {
        this.#take(answer);
        refresh();
      },
      () => ((this.awaited = false), refresh()),
    );
  }

  /** @param {ReviewAnswer} answer */
  #take(answer) {
    // A review also walks moves that were taken back, and the positions after a takeback.
    this.plies = answer.plies.filter((ply) => !ply.taken_back);
    this.verdict = answer.verdict;
    this.awaited = false;
    // After a snapshot, earlier plies have no positions; the review has them.
    for (const { version, position } of this.plies) {
      const ply = this.view.followed.plies.find((ply) => ply.version === version);
      if (ply) ply.position ??= position;
    }
  }

  /** Returns the seat that could win after so many plies; null if that is not known. @param {number} ply */
  winner(ply) {
    return this.plies[ply]?.can_win ?? null;
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
