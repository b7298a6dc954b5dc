/** The heading of a match: its game, its code with the link, its terms, and the number of spectators. */
import { changes, fill, h, say, set } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { t } from "../../words/words.js";
import { control } from "../durations.js";
import { codeButton } from "./share.js";

/** @type {(view: ShownMatch, rules: () => void) => Part} */
export function heading(view, rules) {
  const { state, followed } = view;
  const name = h("h1");
  const watchers = h("span.watchers");
  const how = { "aria-label": t("how.button"), title: t("how.button"), onclick: rules };
  const notes = h(
    "p.head-notes",
    codeButton(followed.code),
    h("button.small.how-button", how, h("b", { "aria-hidden": "true" }, "?"), h("span", t("how.button"))),
    state.visibility === "private" && h("span.chip", t("match.private")),
    control(state.time) && h("span.chip", control(state.time)),
    state.learning && h("span.chip.learning", t("match.learning")),
    watchers,
  );
  const element = h("header.match-head", name, notes);
  const isOther = changes();

  function update() {
    const { title } = view;
    say(name, title);
    set(name, { title });
    const count = followed.spectators;
    if (!isOther(count)) return;
    const words = count > 0 ? t("match.watchers", { count }) : "";
    const shown = [icon("eye"), h("span", { "aria-hidden": "true" }, count), h("span.unseen", words)];
    fill(watchers, words ? shown : []);
    set(watchers, { title: words });
  }
  return { element, update };
}
