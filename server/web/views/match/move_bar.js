/**
 * The chosen move, what it leads to, and the second act that plays it; or what else asks for an answer: a move asked
 * back, an opponent who stays away. Its place is kept, so that nothing jumps.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { refused } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { called, other } from "../player_names.js";
import { amount } from "../durations.js";

export function bar() {
  const text = h("p.bar-text");
  const play = h("button.primary", { type: "button" }, t("choice.play"));
  const cancel = h("button", { type: "button" }, t("choice.cancel"));
  const asked = h("div.row.asked");
  const element = h(
    "div.bar",
    { role: "region", "aria-label": t("choice.play") },
    text,
    h("div.row", null, cancel, play),
    asked,
  );
  let timer = 0;
  /** @type {Table | null} */
  let table = null;
  let told = "";
  /** Both buttons go away; the keyboard goes back to the picture. @param {() => void} act */
  const then = (act) => () => {
    /** @type {HTMLElement | null} */ (element.closest(".table")?.querySelector(".stage"))?.focus({
      preventScroll: true,
    });
    act();
  };
  play.addEventListener(
    "click",
    then(() => table?.choice.confirm()),
  );
  cancel.addEventListener(
    "click",
    then(() => table?.choice.clear()),
  );

  /** @param {Table} next */
  function update(next) {
    table = next;
    const { choice, mine, follow, state, live } = next;
    const chosen = mine && !!choice.move;
    clearTimeout(timer);
    const refusal = choice.refusal ? refused(choice.refusal) : "";
    const question = chosen || refusal ? null : (takeback(next) ?? absence(next));
    element.classList.toggle("asks", !!question);
    if (asked.dataset.key !== (question?.key ?? "")) {
      asked.dataset.key = question?.key ?? "";
      fill(asked, ...(question?.buttons() ?? []));
    }
    element.classList.toggle("chosen", chosen);
    element.classList.toggle("fault", !!refusal);
    element.hidden = state.phase !== "playing" || follow.lost;
    play.hidden = cancel.hidden = !chosen;
    play.disabled = cancel.disabled = choice.sending;
    if (refusal) fill(text, refusal);
    else if (question) fill(text, h("span", null, question.words));
    else if (!chosen) fill(text, hint());
    else {
      const after = choice.ghost ? t("choice.leads", { position: choice.ghost }) : "";
      fill(
        text,
        h("b", null, choice.move),
        h(
          "span.quiet",
          null,
          choice.sending ? t("choice.sending") : `${after}${choice.over ? ` ${t("choice.ends")}` : ""}`,
        ),
      );
    }
    const words = refusal || (chosen && !choice.sending ? t("said.chosen", { move: choice.move ?? "" }) : "");
    if (words && words !== told) announce(words, !!refusal);
    told = words;

    function hint() {
      if (mine) return t("choice.hint");
      if (!follow.seat) return t("choice.hint_watch");
      return live && state.turn ? t("choice.hint_wait", { name: called(state.players[state.turn]) }) : "";
    }
  }
  /**
   * The other one wants a move back.
   * @param {Table} at
   */
  function takeback({ state, follow, page }) {
    const { takeback: by } = state;
    if (state.phase !== "playing" || !by || !follow.seat) return null;
    if (by === follow.seat) {
      return {
        key: "waits",
        words: t("takeback.waits", { name: called(state.players[other(by)]) }),
        buttons: () => [],
      };
    }
    const answer = (/** @type {boolean} */ agree) => () =>
      page.line.request({ type: "answer-takeback", match: follow.match, agree }).catch(() => {});
    return {
      key: "takeback",
      words: t("takeback.wanted", { name: called(state.players[by]) }),
      buttons: () => [
        h("button.no", { type: "button", onclick: answer(false) }, t("takeback.no")),
        h("button.yes", { type: "button", onclick: answer(true) }, t("takeback.yes")),
      ],
    };
  }

  /**
   * The other one has been away for so long that this may end the match.
   * @param {Table} at
   */
  function absence({ state, follow, page, refresh }) {
    if (state.phase !== "playing" || !follow.seat) return null;
    const opponent = other(follow.seat);
    const since = follow.away.get(opponent);
    if (since === undefined || state.grace_ms === undefined) return null;
    const [name, left] = [called(state.players[opponent]), since + state.grace_ms - page.line.now()];
    if (left > 0) {
      // While the viewer is to move, moving is what there is to do.
      timer = setTimeout(refresh, Math.min(left, 1_000));
      return state.turn === follow.seat
        ? null
        : { key: "away", words: t("away.wait", { name, time: amount(left) }), buttons: () => [] };
    }
    const claim = () => page.line.request({ type: "claim", match: follow.match }).catch(() => {});
    return {
      key: "claim",
      words: t("away.claim", { name }),
      buttons: () => [h("button.claim", { type: "button", onclick: claim }, t("away.claim_it"))],
    };
  }

  return { element, update, leave: () => clearTimeout(timer) };
}
