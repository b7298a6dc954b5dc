/**
 * What match this is: its game, its code with the link to send, what was agreed about it, and how many look on.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { fill, h } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { t } from "../../words/words.js";
import { control } from "../durations.js";
import { code_button } from "./share.js";

export function head() {
  const heading = h("h1");
  const notes = h("p.head-notes");
  const watchers = h("span.watchers");
  const element = h("header.match-head", null, heading, notes);

  /** @param {Table} table */
  function update({ state, follow, title }) {
    if (heading.textContent !== title) {
      heading.textContent = title;
      heading.title = title;
    }
    if (!notes.hasChildNodes()) {
      fill(
        notes,
        code_button(follow.code),
        state.visibility === "private" ? h("span.chip", null, t("match.private")) : null,
        control(state.time) ? h("span.chip", null, control(state.time)) : null,
        state.learning ? h("span.chip.learning", null, t("match.learning")) : null,
        watchers,
      );
    }
    const count = follow.spectators;
    if (watchers.dataset.count === String(count)) return;
    watchers.dataset.count = String(count);
    const words = t("match.watchers", { count });
    fill(
      watchers,
      ...(count > 0
        ? [icon("eye"), h("span", { "aria-hidden": "true" }, String(count)), h("span.unseen", null, words)]
        : []),
    );
    watchers.title = count > 0 ? words : "";
  }
  return { element, update };
}
