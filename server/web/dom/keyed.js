/**
 * Keyed lists: one element per key while the items change, so that elements that stay can be animated and removed
 * ones can leave visibly.
 */
import { stillness } from "./motion.js";

/** The duration of the animation of a removed element, as in coins.css. */
const LEAVING_MS = 420;

/**
 * Returns a function that shows a list of items in `host`.
 * @template T
 * @param {Element} host
 * @param {(item: T) => Element} make
 * @param {(element: any, item: T, index: number) => void} show
 */
export function keyed(host, make, show) {
  /** @type {Map<string, Element>} */
  const known = new Map();
  let first = true;
  return (/** @type {readonly T[]} */ items, /** @type {(item: T, index: number) => string} */ key) => {
    const wanted = new Set();
    items.forEach((item, index) => {
      const name = key(item, index);
      wanted.add(name);
      let element = known.get(name);
      if (!element) {
        element = make(item);
        if (!first) element.classList.add("arriving");
        known.set(name, element);
      }
      show(element, item, index);
      // Appending an element moves it and takes its focus, so it is done only for new elements.
      if (element.parentNode !== host) host.append(element);
    });
    for (const [name, element] of known) {
      if (wanted.has(name)) continue;
      known.delete(name);
      leave(element);
    }
    first = false;
  };
}

/** @param {Element} element */
function leave(element) {
  if (stillness()) return element.remove();
  for (const name of ["data-move", "tabindex", "role", "aria-label"]) element.removeAttribute(name);
  element.setAttribute("aria-hidden", "true");
  element.classList.add("leaving");
  setTimeout(() => element.remove(), LEAVING_MS);
}
