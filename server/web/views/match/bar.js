/**
 * The chosen move, what it leads to, and the second act that plays it. Its place is kept, so that nothing jumps.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { called } from "../people.js";

export function bar() {
  const text = h("p.bar-text");
  const play = h("button.primary", { type: "button" }, t("choice.play"));
  const cancel = h("button", { type: "button" }, t("choice.cancel"));
  const element = h("div.bar", { role: "region", "aria-label": t("choice.play") }, text, h("div.row", null, cancel, play));
  /** @type {Table | null} */
  let table = null;
  let told = "";
  /** Both buttons go away; the keyboard goes back to the picture. @param {() => void} act */
  const then = (act) => () => {
    /** @type {HTMLElement | null} */ (element.closest(".table")?.querySelector(".stage"))?.focus({ preventScroll: true });
    act();
  };
  play.addEventListener("click", then(() => table?.choice.confirm()));
  cancel.addEventListener("click", then(() => table?.choice.clear()));

  /** @param {Table} next */
  function update(next) {
    table = next;
    const { choice, mine, follow, state, live } = next;
    const chosen = mine && !!choice.move;
    element.classList.toggle("chosen", chosen);
    element.classList.toggle("fault", !!choice.fault);
    element.hidden = state.phase !== "playing" || follow.lost;
    play.hidden = cancel.hidden = !chosen;
    play.disabled = cancel.disabled = choice.sending;
    if (choice.fault) fill(text, choice.fault);
    else if (!chosen) fill(text, hint());
    else {
      const after = choice.ghost ? t("choice.leads", { position: choice.ghost }) : "";
      fill(text, h("b", null, choice.move), h("span.quiet", null, choice.sending ? t("choice.sending") : `${after}${choice.over ? ` ${t("choice.ends")}` : ""}`));
    }
    const words = choice.fault || (chosen && !choice.sending ? t("said.chosen", { move: choice.move ?? "" }) : "");
    if (words && words !== told) announce(words, !!choice.fault);
    told = words;

    function hint() {
      if (mine) return t("choice.hint");
      if (!follow.seat) return t("choice.hint_watch");
      return live && state.turn ? t("choice.hint_wait", { name: called(state.players[state.turn]) }) : "";
    }
  }
  return { element, update };
}
