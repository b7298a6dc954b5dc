/**
 * The heading of a match: its game, its code with the link, its terms, and the number of spectators.
 *
 * @import { MatchProps } from "../match.js"
 */
import { fill, h } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { t } from "../../words/words.js";
import { control } from "../durations.js";
import { codeButton } from "./share.js";

/** @param {() => void} rules opens the rules of the game */
export function heading(rules) {
  const name = h("h1");
  const notes = h("p.head-notes");
  const watchers = h("span.watchers");
  const element = h("header.match-head", name, notes);

  /** @param {MatchProps} props */
  function update({ state, followed, title }) {
    if (name.textContent !== title) {
      name.textContent = title;
      name.title = title;
    }
    if (!notes.hasChildNodes()) {
      fill(
        notes,
        codeButton(followed.code),
        h(
          "button.small.how-button",
          { "aria-label": t("how.button"), title: t("how.button"), onclick: rules },
          h("b", { "aria-hidden": "true" }, "?"),
          h("span", t("how.button")),
        ),
        history.state?.before
          ? h("a.chip.before", { href: `/m/${history.state.before}`, "data-go": true }, t("match.before"))
          : null,
        state.visibility === "private" ? h("span.chip", t("match.private")) : null,
        control(state.time) ? h("span.chip", control(state.time)) : null,
        state.learning ? h("span.chip.learning", t("match.learning")) : null,
        watchers,
      );
    }
    const count = followed.spectators;
    if (watchers.dataset.count === String(count)) return;
    watchers.dataset.count = String(count);
    const words = t("match.watchers", { count });
    fill(
      watchers,
      ...(count > 0 ? [icon("eye"), h("span", { "aria-hidden": "true" }, String(count)), h("span.unseen", words)] : []),
    );
    watchers.title = count > 0 ? words : "";
  }
  return { element, update };
}
