/**
 * The turning points of a finished match, tried again: the picture goes back to each, where a winning move is looked
 * for.
 *
 * @import { ShownMatch } from "../match.js"
 */
import { announce } from "../../dom/announce.js";
import { Attempt } from "../../play/attempt.js";
import { doing, naming } from "../../words/moves.js";
import { t } from "../../words/words.js";
import { ideaName } from "../teach/explanation.js";

/** The time for which a move that wins is seen, where only one is tried. */
const SEEN_MS = 1_600;

export class Trial {
  /** The plies whose position before was solved. @type {Set<number>} */
  found = new Set();
  #told = "";
  #timer = 0;

  /**
   * @param {ShownMatch} view
   * @param {number[]} points   the plies that gave the win away
   */
  constructor(view, points) {
    this.view = view;
    this.points = points;
    // The sentence of the recorder is about the last one.
    this.ply = points[points.length - 1] ?? 0;
    this.attempt = new Attempt(view.page.connection, view.state.game);
    this.attempt.addEventListener("change", () => this.#changed());
  }

  /** Goes back to before a ply. @param {number} ply */
  go(ply) {
    this.ply = ply;
    const { position } = this.view.review.plies[ply - 1];
    this.attempt.begin(position).then(() => announce(this.words), this.view.refuse);
  }

  /** The next turning point that is not solved; undefined after the last one. */
  get next() {
    const open = this.points.filter((ply) => !this.found.has(ply));
    return open.find((ply) => ply > this.ply) ?? open[0];
  }

  /** What there is to do, or what became of the move that was tried. */
  get words() {
    const { tried, answering } = this.attempt;
    const { missed } = this.view.review.plies[this.ply] ?? {};
    if (!tried && this.#once) return "";
    if (!tried) return t("recorder.find", { ply: this.ply });
    const values = {
      move: doing(tried.move, tried.before),
      reply: tried.reply ? naming(tried.reply, tried.after) : "",
    };
    if (tried.reply) return t(answering || this.#once ? "recorder.refuted" : "recorder.again", values);
    const idea = missed ? ` ${t("recorder.idea", { idea: ideaName(missed) })}` : "";
    return t("recorder.right", values) + (this.#once ? "" : idea);
  }

  /** Whether only one move is tried, in a match that is played. */
  get #once() {
    return this.points.length === 0;
  }

  #changed() {
    const { tried, answering, study } = this.attempt;
    if (this.#once && tried && !answering) {
      if (tried.reply && study.plies.length === 0) return this.#return(this.words);
      if (!tried.reply) this.#timer ||= setTimeout(() => this.#return(this.words), SEEN_MS);
    }
    if (tried && !tried.reply) this.found.add(this.ply);
    const words = tried ? this.words : "";
    if (words && words !== this.#told) announce(words, true);
    this.#told = words;
    this.view.refresh();
  }

  /** Tries one move in the position of the match, and returns there. @param {string} move */
  once(move) {
    const { view, attempt } = this;
    this.ply = view.followed.plies.length + 1;
    attempt.begin(view.state.position).then(
      () => attempt.draft.choose(move),
      (error) => (this.#return(""), view.refuse(error)),
    );
  }

  /** Goes back to the match. @param {string} words   what the bar says of the move */
  #return(words) {
    const { view } = this;
    if (view.trial !== this) return;
    this.end();
    view.trial = null;
    view.note = words;
    view.refresh();
  }

  end() {
    this.attempt.stop();
    clearTimeout(this.#timer);
  }
}
