/**
 * A move on its way: chosen, shown, confirmed, played. Nothing is played that was not seen, unless the player wants
 * that.
 *
 * @typedef {import("../wire/connection.js").Line} Line
 * @typedef {import("../wire/followed_match.js").Follow} Follow
 */
export class Choice extends EventTarget {
  /** @type {string | null} */
  move = null;
  /** The position it leads to, once the server has said so. @type {string | null} */
  ghost = null;
  over = false;
  /** Sent, and not yet answered. */
  sending = false;
  /** The reason why the server refused the move. @type {Error | null} */
  refusal = null;
  #asking = false;

  /**
   * @param {Line} line
   * @param {Follow} follow
   * @param {() => boolean} confirms whether a move is shown before it is sent
   */
  constructor(line, follow, confirms) {
    super();
    this.confirms = confirms;
    this.line = line;
    this.follow = follow;
    const before = line.before(follow.match);
    if (!before) return;
    this.move = before.move;
    this.sending = true;
    this.#await(before.answer);
  }

  /**
   * Chooses a move; the same one again plays it.
   * @param {string} move
   */
  choose(move) {
    if (this.sending) return;
    if (this.confirms()) return this.propose(move);
    this.move = move;
    this.confirm();
  }

  /**
   * Chooses a move and waits for a second act, whatever the settings: for controls that pass through other moves.
   * @param {string} move
   */
  propose(move) {
    if (this.sending) return;
    if (move === this.move) return this.confirm();
    this.#set(move);
    this.#show();
  }

  /** Asks for the position after the chosen move, one question at a time. */
  #show() {
    const { move, follow } = this;
    if (!move || this.#asking) return;
    this.#asking = true;
    const { match, version } = follow;
    const done = () => {
      this.#asking = false;
      if (this.move !== move) this.#show();
      return this.move === move && follow.version === version;
    };
    this.line.request({ type: "preview", match, move }).then(
      (preview) => {
        if (!done()) return;
        this.ghost = preview.position;
        this.over = preview.over;
        this.#tell();
      },
      (why) => {
        // A server that shows no previews still plays; anything else is a fault of the text.
        if (!done() || why.reason === "unknown-type") return;
        this.move = null;
        this.refusal = why;
        this.#tell();
      },
    );
  }

  confirm() {
    if (!this.move || this.sending) return;
    const { match, version } = this.follow;
    this.sending = true;
    this.refusal = null;
    this.#tell();
    this.#await(this.line.request({ type: "play", match, expecting: version, move: this.move }));
  }

  /** @param {Promise<unknown>} answer */
  #await(answer) {
    answer.then(
      () => {
        this.sending = false;
        this.#set(null);
      },
      (why) => {
        this.sending = false;
        this.#set(null);
        this.refusal = why;
        this.#tell();
      },
    );
  }

  clear() {
    if (!this.sending && (this.move || this.refusal)) this.#set(null);
  }

  /** @param {string | null} move */
  #set(move) {
    this.move = move;
    this.ghost = null;
    this.over = false;
    this.refusal = null;
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
