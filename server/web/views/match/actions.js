/**
 * The buttons of a player besides moving: ask for a takeback, and resign.
 *
 * @import { MatchProps } from "../match.js"
 */
import { fill, h } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { other } from "../player_names.js";

/** The time for which the confirmation is shown. */
const CONFIRM_MS = 4_000;

export function actions() {
  const element = h("div.row.actions");
  let sure = false;
  let timer = 0;

  /** @param {MatchProps} props */
  function update(props) {
    const { state, followed, page, refuse } = props;
    const playing = state.phase === "playing" && followed.seat !== null;
    element.hidden = !playing;
    const mayAsk = playing && state.takeback === undefined && followed.plies.some(({ seat }) => seat === followed.seat);
    // Outside matches for learning a bot always declines.
    const declines = followed.seat && state.players[other(followed.seat)]?.kind === "bot" && !state.learning;
    const key = String(playing) + sure + mayAsk + declines;
    if (element.dataset.key === key) return;
    element.dataset.key = key;
    const focused = /** @type {HTMLElement | null} */ (
      element.contains(document.activeElement) ? document.activeElement : null
    )?.className;
    const press = () => {
      if (sure) page.connection.request({ type: "resign", match: followed.match }).catch(refuse);
      sure = !sure;
      clearTimeout(timer);
      timer = setTimeout(() => {
        sure = false;
        update(props);
      }, CONFIRM_MS);
      update(props);
    };
    const resign = h(
      `button.small.resign${sure ? ".danger" : ""}`,
      { onclick: press },
      t(sure ? "match.resign_sure" : "match.resign"),
    );
    const takeback = h(
      "button.small.takeback",
      {
        disabled: !mayAsk,
        onclick: () => page.connection.request({ type: "offer-takeback", match: followed.match }).catch(refuse),
      },
      t("takeback.ask"),
    );
    fill(element, ...(playing ? [declines ? null : takeback, resign] : []));
    if (focused) (focused.includes("takeback") ? takeback : resign).focus();
  }
  return { element, update, leave: () => clearTimeout(timer) };
}
