/**
 * A picture to play on without a match, with a bar below it: the chosen move and the button that plays it, or words and
 * what can be done next.
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { beforePaint } from "../../dom/frames.js";
import { LegalMoves, NONE } from "../../play/legal_moves.js";
import { Attempt } from "../../play/attempt.js";
import { MoveDraft } from "../../play/move_draft.js";
import { reply } from "../../play/study.js";
import { gameInfo } from "../../wire/catalogue.js";
import { settings } from "../../wire/storage.js";
import { doing, done } from "../../words/moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { board } from "../match/board.js";

export class Bench {
  free = true;
  live = true;
  misere = false;
  trial = null;
  /** Whether the winning moves may be shown. */
  review = { allowed: false };
  #legal = NONE;
  /**
   * What choices on the picture set, instead of being played: they look like moves.
   * @type {(import("../../play/roving_focus.js").Drafting & { moves: LegalMoves }) | null}
   */
  setting = null;
  /** @type {{ shown: boolean, moves: LegalMoves | null }} */
  winning = { shown: false, moves: null };
  #text = h("p.bar-text");
  #act = h("div.row.wrap.question");
  #words = /** @type {Child[]} */ ([]);
  #bar;
  #play;
  #cancel;
  #showing = beforePaint(() => this.#update());
  refresh = () => this.#showing.request();

  /**
   * @param {Page} page
   * @param {Study} followed   what is played on it
   * @param {MoveDraft} [draft]
   */
  constructor(page, followed, draft = new MoveDraft(followed, followed, () => settings().confirm)) {
    this.page = page;
    this.followed = this.played = followed;
    this.draft = draft;
    const leave = (/** @type {() => void} */ act) => () => {
      this.focus();
      act();
    };
    this.#play = h("button.primary", { onclick: leave(() => this.draft.confirm()) }, t("choice.play"));
    this.#cancel = h("button", { onclick: leave(() => this.draft.clear()) }, t("choice.cancel"));
    const buttons = h("div.row", this.#cancel, this.#play);
    this.#bar = h("div.bar", { role: "region", "aria-label": t("match.your_turn") }, this.#text, buttons, this.#act);
    // The board asks a view for what it shows, as that of a match.
    this.stage = board(/** @type {any} */ (this));
    this.element = h("div.bench", h("h2.unseen", t("choice.position")), this.stage.element, this.#bar);
    for (const target of [this.draft, followed]) target.addEventListener("change", this.refresh);
    gameInfo(followed.game).then((info) => {
      this.misere = info?.convention === "misere";
      this.refresh();
    });
  }

  get state() {
    return this.followed.state;
  }

  get ply() {
    return this.followed.plies.length;
  }

  get chooses() {
    return this.free && this.state.phase === "playing";
  }

  get choosing() {
    return this.setting ?? this.draft;
  }

  get legal() {
    return this.setting?.moves ?? (this.chooses ? this.#legal : NONE);
  }

  /** Shows the winning moves, or not. @param {boolean} shown */
  mark(shown) {
    this.winning.shown = shown;
    this.refresh();
  }

  /** Shows words, and the buttons and links after them. @type {(words: Child[], ...next: Child[]) => void} */
  tell(words, ...next) {
    this.#words = words;
    fill(this.#act, ...next);
    const text = words.map((one) => (one instanceof Node ? one.textContent : one)).filter(Boolean);
    announce(text.join(" "));
    this.refresh();
  }

  /** Moves the focus to the picture, or to what can be done next. @param {string} [selector] */
  focus(selector = ".stage") {
    /** @type {HTMLElement | null} */ (this.element.querySelector(selector))?.focus({ preventScroll: true });
  }

  #update() {
    const { draft, followed, chooses } = this;
    if (!followed.here) return;
    const { legal, winning, position } = followed.here;
    this.winning.moves = this.setting ? null : new LegalMoves(winning);
    this.#legal = new LegalMoves(legal);
    this.stage.update();
    const chosen = chooses && !!draft.move;
    const refusal = draft.refusal && refusalText(draft.refusal);
    this.#bar.classList.toggle("chosen", chosen);
    this.#bar.classList.toggle("fault", !!refusal);
    this.#play.disabled = this.#cancel.disabled = draft.sending;
    const outcome = draft.ghost && h("span.quiet", t(draft.over ? "choice.ends" : "choice.leads"));
    if (refusal) fill(this.#text, refusal);
    else if (chosen) fill(this.#text, h("b", { title: draft.move }, doing(draft.move ?? "", position)), outcome);
    else fill(this.#text, ...this.#words);
  }

  leave() {
    this.#showing.stop();
    this.stage.leave();
  }
}

/**
 * @typedef {object} Task
 * @property {string} game
 * @property {string | StudyAnswer} position
 * @property {number} [par]         the winning moves until it is solved, unless the game ends before
 * @property {string} words
 * @property {(missed: boolean) => Child[]} solved   what can be done then
 * @property {() => void} [missed]  is told of the first wrong move, or that the reader was shown one
 */

/** @type {(page: Page, task: Task) => Bench} */
export function task(page, { game, position, par, words, solved, missed }) {
  const attempt = new Attempt(page.connection, game, () => settings().confirm);
  const { study } = attempt;
  const bench = new Bench(page, study, attempt.draft);
  const help = h("button.small.show-me", { onclick: show }, t("task.show"));
  const back = h("button.primary.take-back", { onclick: takeBack }, t("task.back"));
  let isMissed = false;

  function miss() {
    if (!isMissed) missed?.();
    isMissed = true;
  }

  /** Chooses a winning move for the reader, who still plays it. */
  function show() {
    miss();
    bench.focus();
    if (study.here) bench.draft.propose(reply(study.here));
  }

  function takeBack() {
    attempt.takeBack();
    bench.focus();
  }

  /** @param {Error} error */
  const refused = (error) => bench.tell([h("span.fault", refusalText(error))], help);

  attempt.addEventListener("phase", () => {
    const { phase, tried, fault } = attempt;
    bench.free = phase === "open";
    if (fault) return refused(fault);
    if (!tried || (phase === "open" && !tried.wins)) return bench.tell([h("span", words)], help);
    const answer = { move: tried.reply ? done(tried.reply, tried.after) : "" };
    if (phase === "open") return bench.tell([h("span", t("task.on", answer))], help);
    if (tried.wins) {
      const right = h("b.is-right", t(tried.ends ? "task.won" : "task.right"));
      bench.tell([right], ...(phase === "solved" ? solved(isMissed) : []));
      return bench.focus(".question .primary");
    }
    miss();
    const wrong = h("b.is-wrong", t("task.wrong", { move: done(tried.move, tried.before) }));
    if (phase === "answering") return bench.tell([wrong]);
    bench.tell([wrong, h("span", tried.reply ? t("task.refuted", answer) : t("task.over"))], back);
    bench.focus(".take-back");
  });
  attempt.begin(position, par).catch(refused);
  const { leave } = bench;
  bench.leave = () => {
    attempt.stop();
    leave.call(bench);
  };
  return bench;
}
