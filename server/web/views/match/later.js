/**
 * A part of the match page that is loaded after the first picture with its texts and style, so that a link opens fast.
 */
import { h } from "../../dom/build.js";
import { lateStyles } from "../../dom/late_styles.js";
import { useWords } from "../../words/words.js";

/**
 * Keeps the place of a part until it is loaded; a network that is away is asked again at the next update.
 * @type {(view: ShownMatch, make: (late: typeof import("./late.js").parts) => Part) => Part}
 */
export function later(view, make) {
  const place = h("div", { hidden: true });
  /** @type {Part | null} */
  let part = null;
  let asked = false;

  function update() {
    if (part) return part.update();
    if (asked) return;
    asked = true;
    Promise.all([import("./late.js"), useWords("analysis"), lateStyles()]).then(
      ([{ parts }]) => {
        part = make(parts);
        place.replaceWith(part.element);
        view.refresh();
      },
      () => (asked = false),
    );
  }
  return {
    get element() {
      return part?.element ?? place;
    },
    update,
    leave: () => part?.leave?.(),
  };
}
