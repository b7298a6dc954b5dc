/**
 * The buttons of a player besides moving: ask for a takeback, and resign.
 *
 * @import { ShownMatch } from "../match.js"
 */
import { h, say } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { other } from "../player_names.js";

/** The time for which the confirmation is shown. */
const CONFIRM_MS = 4_000;

/** @param {ShownMatch} view */
export function actions(view) {
  let sure = false;
  let timer = 0;
  const onclick = () => view.send({ type: "offer-takeback" });
  const takeback = h("button.small.takeback", { onclick }, t("takeback.ask"));
  const resign = h("button.small.resign", { onclick: press });
  const element = h("div.row.actions", takeback, resign);
  confirm(false);

  function press() {
    if (sure) view.send({ type: "resign" });
    confirm(!sure);
  }

  /** Shows whether the next press resigns. @param {boolean} next */
  function confirm(next) {
    sure = next;
    clearTimeout(timer);
    if (sure) timer = setTimeout(confirm, CONFIRM_MS, false);
    say(resign, t(sure ? "match.resign_sure" : "match.resign"));
    resign.classList.toggle("danger", sure);
  }

  function update() {
    const { state, followed } = view;
    element.hidden = state.phase !== "playing" || followed.seat === null;
    takeback.disabled = state.takeback !== undefined || !followed.plies.some(({ seat }) => seat === followed.seat);
    // Outside matches for learning a bot always declines.
    const declines = !!followed.seat && state.players[other(followed.seat)]?.kind === "bot" && !state.learning;
    if (declines) takeback.remove();
    else if (!takeback.parentNode) element.prepend(takeback);
  }
  return { element, update, leave: () => clearTimeout(timer) };
}
