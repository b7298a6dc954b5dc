/**
 * A picture to play on without a match, with a bar below it: the chosen move and the button that plays it, or words and
 * what can be done next.
 *
 * @import { Child } from "../../dom/build.js"
 * @import { Study } from "../../play/study.js"
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { beforePaint } from "../../dom/frames.js";
import { LegalMoves, NONE } from "../../play/legal_moves.js";
import { MoveDraft } from "../../play/move_draft.js";
import { gameInfo } from "../../wire/catalogue.js";
import { settings } from "../../wire/storage.js";
import { doing } from "../../words/moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { board } from "../match/board.js";

export class Bench {
  /** Whether the reader may move. */
  free = true;
  live = true;
  misere = false;
  trial = null;
  /** Whether the winning moves may be shown. */
  review = { allowed: false };
  #legal = NONE;
  /**
   * What choices on the picture set, instead of being played: they look like moves.
   * @type {{ moves: LegalMoves, set: (move: string) => void } | null}
   */
  setting = null;
  drafting = {
    choose: (/** @type {string} */ move) => (this.setting ? this.setting.set(move) : this.draft.choose(move)),
    propose: (/** @type {string} */ move) => (this.setting ? this.setting.set(move) : this.draft.propose(move)),
    clear: () => this.draft.clear(),
  };
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
   * @param {import("../../main.js").Page} page
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

  /** Whether the reader may choose a move now. */
  get chooses() {
    return this.free && this.state.phase === "playing";
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
