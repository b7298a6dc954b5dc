/**
 * The move a player is about to make: chosen, previewed, confirmed and sent. Unless the player has turned
 * confirmation off, no move is sent before its result was shown.
 *
 * What it is played in is a match that is followed, or a `Study`.
 * @typedef {{ match: string, version: number }} Followed
 * @typedef {object} Asked
 * @property {(body: any) => Promise<any>} request
 * @property {{ takeResentMove: (match: string) => { move: string, answer: Promise<any> } | null }} requests
 */
export class MoveDraft extends EventTarget {
  /** @type {string | null} */
  move = null;
  /** The position after the move, once the server has sent it. @type {string | null} */
  ghost = null;
  /** Whether the move ends the game. */
  over = false;
  /** Whether the move was sent and is not answered yet. */
  sending = false;
  /** The reason why the server refused the move. @type {Error | null} */
  refusal = null;
  #previewing = false;

  /**
   * @param {Asked} connection
   * @param {Followed} followed
   * @param {() => boolean} confirms whether a move is shown before it is sent
   */
  constructor(connection, followed, confirms) {
    super();
    this.confirms = confirms;
    this.connection = connection;
    this.followed = followed;
    const resent = connection.requests.takeResentMove(followed.match);
    if (!resent) return;
    this.move = resent.move;
    this.sending = true;
    this.#await(resent.answer);
  }

  /** Chooses a move. Choosing the same move again plays it. @param {string} move */
  choose(move) {
    if (this.sending) return;
    if (this.confirms()) return this.propose(move);
    this.move = move;
    this.confirm();
  }

  /**
   * Chooses a move and waits for its confirmation, whatever the settings. Sliders and fields use this, because they
   * pass through other moves.
   * @param {string} move
   */
  propose(move) {
    if (this.sending) return;
    if (move === this.move) return this.confirm();
    this.#set(move);
    this.#preview();
  }

  /** Requests the position after the chosen move, one query at a time. */
  #preview() {
    const { move, followed } = this;
    if (!move || this.#previewing) return;
    this.#previewing = true;
    const { match, version } = followed;
    const done = () => {
      this.#previewing = false;
      if (this.move !== move) this.#preview();
      return this.move === move && followed.version === version;
    };
    this.connection.request({ type: "preview", match, move }).then(
      (preview) => {
        if (!done()) return;
        this.ghost = preview.position;
        this.over = preview.over;
        this.#notify();
      },
      (error) => {
        // Without previews a move can still be played; any other refusal means that the move is wrong.
        if (!done() || error.reason === "unknown-type") return;
        this.#set(null, error);
      },
    );
  }

  confirm() {
    if (!this.move || this.sending) return;
    const { match, version } = this.followed;
    this.sending = true;
    this.refusal = null;
    this.#notify();
    this.#await(this.connection.request({ type: "play", match, expecting: version, move: this.move }));
  }

  /** @param {Promise<unknown>} answer */
  #await(answer) {
    const end = (/** @type {Error | null} */ refusal) => {
      this.sending = false;
      this.#set(null, refusal);
    };
    answer.then(() => end(null), end);
  }

  /** Drops the chosen move, unless it was sent. */
  clear() {
    if (!this.sending && (this.move || this.refusal)) this.#set(null);
  }

  /** @type {(move: string | null, refusal?: Error | null) => void} */
  #set(move, refusal = null) {
    this.move = move;
    this.ghost = null;
    this.over = false;
    this.refusal = refusal;
    this.#notify();
  }

  #notify() {
    this.dispatchEvent(new Event("change"));
  }
}
