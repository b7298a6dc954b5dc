/**
 * What a player can do about a match besides moving: ask for a move back, or give it up.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { fill, h } from "../../dom/build.js";
import { t } from "../../words/words.js";

/** How long the question stays. */
const SURE_MS = 4_000;

export function actions() {
  const element = h("div.row.actions");
  let sure = false;
  let timer = 0;

  /** @param {Table} table */
  function update(table) {
    const { state, follow, page } = table;
    const playing = state.phase === "playing" && follow.seat !== null;
    element.hidden = !playing;
    const may_ask = playing && state.takeback === undefined && follow.plies.some(({ seat }) => seat === follow.seat);
    const key = String(playing) + sure + may_ask;
    if (element.dataset.key === key) return;
    element.dataset.key = key;
    const focused = /** @type {HTMLElement | null} */ (
      element.contains(document.activeElement) ? document.activeElement : null
    )?.className;
    const press = () => {
      if (sure) page.line.request({ type: "resign", match: follow.match }).catch(() => {});
      sure = !sure;
      clearTimeout(timer);
      timer = setTimeout(() => {
        sure = false;
        update(table);
      }, SURE_MS);
      update(table);
    };
    const button = h(
      `button.small.resign${sure ? ".danger" : ""}`,
      { type: "button", onclick: press },
      t(sure ? "match.resign_sure" : "match.resign"),
    );
    const ask = h(
      "button.small.takeback",
      {
        type: "button",
        disabled: !may_ask,
        onclick: () => page.line.request({ type: "offer-takeback", match: follow.match }).catch(() => {}),
      },
      t("takeback.ask"),
    );
    fill(element, ...(playing ? [ask, button] : []));
    if (focused) (focused.includes("takeback") ? ask : button).focus();
  }
  return { element, update, leave: () => clearTimeout(timer) };
}
