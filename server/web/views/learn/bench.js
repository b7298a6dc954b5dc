/**
 * A picture to play on without a match, with a bar below it: the chosen move and the button that plays it, or words and
 * what can be done next.
 *
 * @import { Child } from "../../dom/build.js"
 * @import { StudyAnswer } from "../../wire/types.js"
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { beforePaint } from "../../dom/frames.js";
import { LegalMoves, NONE } from "../../play/legal_moves.js";
import { MoveDraft } from "../../play/move_draft.js";
import { Study } from "../../play/study.js";
import { gameInfo } from "../../wire/catalogue.js";
import { settings } from "../../wire/storage.js";
import { doing } from "../../words/moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { board } from "../match/board.js";

/** @typedef {(before: StudyAnswer, move: string, after: StudyAnswer) => unknown} Played */

export class Bench {
  /** Whether the reader may move. */
  free = true;
  live = true;
  misere = false;
  trial = null;
  /** Whether the winning moves may be shown. */
  review = { allowed: false };
  #legal = NONE;
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
   * @param {string} game
   * @param {Played} played is told of a move of the reader, once it is on the board
   */
  constructor(page, game, played) {
    this.page = page;
    this.followed = new Study(page.connection, game);
    const { followed } = this;
    const asked = {
      requests: followed.requests,
      /** @param {{ type: string, move: string }} body */
      request: async (body) => {
        const before = followed.here;
        const answer = await followed.request(body);
        if (body.type === "play" && before && followed.here) played(before, body.move, followed.here);
        return answer;
      },
    };
    this.draft = new MoveDraft(asked, followed, () => settings().confirm);
    const leave = (/** @type {() => void} */ act) => () => {
      this.focus();
      act();
    };
    this.#play = h("button.primary", { onclick: leave(() => this.draft.confirm()) }, t("choice.play"));
    this.#cancel = h("button", { onclick: leave(() => this.draft.clear()) }, t("choice.cancel"));
    const buttons = h("div.row", this.#cancel, this.#play);
    this.#bar = h("div.bar", { role: "region", "aria-label": t("bench.bar") }, this.#text, buttons, this.#act);
    // The board asks a view for what it shows, as that of a match.
    this.stage = board(/** @type {any} */ (this));
    this.element = h("div.bench", h("h2.unseen", t("choice.position")), this.stage.element, this.#bar);
    for (const target of [this.draft, followed]) target.addEventListener("change", this.refresh);
    gameInfo(game).then((info) => {
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
    return this.chooses ? this.#legal : NONE;
  }

  get played() {
    return this.followed;
  }

  get drafting() {
    return this.draft;
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
    this.winning.moves = new LegalMoves(winning);
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
