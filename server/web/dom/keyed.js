/** Keyed lists: one element per key while items change, so that they can be animated and leave visibly. */
import { stillness } from "./motion.js";

/** The duration of the animation of a removed element, as in coins.css. */
const LEAVING_MS = 420;

/**
 * Returns a function that shows a list of items in `host`.
 * @template T
 * @param {Element} host
 * @param {(item: T) => unknown} key
 * @param {(item: T) => Element} make
 * @param {(element: any, item: T) => void} show
 */
export function keyed(host, key, make, show) {
  /** @type {Map<unknown, Element>} */
  const known = new Map();
  let first = true;
  return (/** @type {readonly T[]} */ items) => {
    const wanted = new Set();
    for (const item of items) {
      const name = key(item);
      wanted.add(name);
      let element = known.get(name);
      if (!element) {
        element = make(item);
        if (!first) element.classList.add("arriving");
        known.set(name, element);
      }
      show(element, item);
      // Appending an element moves it and takes its focus, so it is done only for new elements.
      if (element.parentNode !== host) host.append(element);
    }
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
