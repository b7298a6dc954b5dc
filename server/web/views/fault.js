/** The place where a form tells why it failed. */
import { announce } from "../dom/announce.js";
import { fill, h } from "../dom/build.js";
import { refusalText } from "../words/refused.js";
import { t } from "../words/words.js";

/**
 * Returns a way to do something, once at a time, and the place that shows why it was refused.
 * @returns {{ element: HTMLElement, run: (act: () => Promise<unknown>) => Promise<void> }}
 */
export function attempts() {
  const element = h("p.fault", { role: "alert" });
  let running = false;
  return {
    element,
    async run(act) {
      if (running) return;
      running = true;
      fill(element);
      await act().catch((error) => {
        fill(element, refusalText(error));
        announce(refusalText(error), true);
      });
      running = false;
    },
  };
}

/** Returns what stands in place of a part of the page with modules that cannot be loaded. */
export function gone() {
  return h("p.fault", { role: "alert" }, t("page.gone"));
}
