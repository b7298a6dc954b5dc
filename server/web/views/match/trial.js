/** The turning points of a finished match, tried again: a winning move is looked for before each. */
import { announce } from "../../dom/announce.js";
import { Attempt } from "../../play/attempt.js";
import { doing, naming } from "../../words/moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { ideaName } from "../teach/explanation.js";

export class Trial {
  /** The plies whose position before was solved. @type {Set<number>} */
  found = new Set();

  /** @param {ShownMatch} view @param {number[]} points the plies that gave the win away */
  constructor(view, points) {
    this.view = view;
    this.points = points;
    // The sentence of the recorder is about the last one.
    this.ply = points[points.length - 1] ?? 0;
    this.attempt = new Attempt(view.page.connection, view.state.game);
    this.attempt.addEventListener("change", view.refresh);
    this.attempt.addEventListener("phase", () => this.#tell());
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
    const { tried, phase, fault } = this.attempt;
    const { missed } = this.view.review.plies[this.ply] ?? {};
    if (fault) return refusalText(fault);
    if (!tried) return this.#once ? "" : t("recorder.find", { ply: this.ply });
    const values = {
      move: doing(tried.move, tried.before),
      reply: tried.reply ? naming(tried.reply, tried.after) : "",
    };
    if (phase === "answering") return `${values.move}?`;
    if (!tried.wins && tried.ends) return t("task.over");
    if (!tried.wins) return t(phase === "open" ? "recorder.again" : "recorder.refuted", values);
    const idea = missed && !this.#once ? ` ${t("recorder.idea", { idea: ideaName(missed) })}` : "";
    return t("recorder.right", values) + idea;
  }

  /** Whether only one move is tried, in a match that is played. */
  get #once() {
    return this.points.length === 0;
  }

  /** Whether the move that was tried is on the board until it is taken back. */
  get waits() {
    const { phase } = this.attempt;
    return phase === "refuted" || (this.#once && phase === "solved");
  }

  /** Takes the tried move back, where only one is tried to go on with the match. */
  takeBack() {
    if (this.#once) this.#return(this.words);
    else this.attempt.takeBack();
  }

  #tell() {
    const { tried, phase, fault } = this.attempt;
    if (phase === "solved") this.found.add(this.ply);
    if (fault && this.#once) return this.#return(this.words);
    if (tried && phase !== "answering") announce(this.words, true);
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
  }
}
