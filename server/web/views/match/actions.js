/**
 * What a player can do about a match besides moving: give it up.
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
    const key = String(playing) + sure;
    if (element.dataset.key === key) return;
    element.dataset.key = key;
    const focused = element.contains(document.activeElement);
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
    const button = h(`button.small.resign${sure ? ".danger" : ""}`, { type: "button", onclick: press }, t(sure ? "match.resign_sure" : "match.resign"));
    fill(element, playing ? button : null);
    if (focused) button.focus();
  }
  return { element, update, leave: () => clearTimeout(timer) };
}
