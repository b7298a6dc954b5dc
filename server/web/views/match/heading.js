/**
 * The heading of a match: its game, its code with the link, its terms, and the number of spectators.
 *
 * @import { ShownMatch } from "../match.js"
 */
import { fill, h, say, set } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { t } from "../../words/words.js";
import { control } from "../durations.js";
import { codeButton } from "./share.js";

/** @type {(view: ShownMatch, rules: () => void) => import("../match.js").Part} */
export function heading(view, rules) {
  const name = h("h1");
  const notes = h("p.head-notes");
  const watchers = h("span.watchers");
  const element = h("header.match-head", name, notes);

  function update() {
    const { state, followed, title } = view;
    say(name, title);
    set(name, { title });
    if (!notes.hasChildNodes()) {
      const how = { "aria-label": t("how.button"), title: t("how.button"), onclick: rules };
      fill(
        notes,
        codeButton(followed.code),
        h("button.small.how-button", how, h("b", { "aria-hidden": "true" }, "?"), h("span", t("how.button"))),
        state.visibility === "private" ? h("span.chip", t("match.private")) : null,
        control(state.time) ? h("span.chip", control(state.time)) : null,
        state.learning ? h("span.chip.learning", t("match.learning")) : null,
        watchers,
      );
    }
    const count = followed.spectators;
    if (watchers.dataset.count === String(count)) return;
    const words = count > 0 ? t("match.watchers", { count }) : "";
    const shown = [icon("eye"), h("span", { "aria-hidden": "true" }, count), h("span.unseen", words)];
    fill(watchers, words ? shown : []);
    set(watchers, { "data-count": count, title: words });
  }
  return { element, update };
}
