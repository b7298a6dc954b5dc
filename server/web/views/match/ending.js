/**
 * The end of a match as its players see it, once: the winner arrives, the loser is erased. A click or a key skips it,
 * and whoever prefers reduced motion sees only the result below the picture.
 */
import { h, s } from "../../dom/build.js";
import { stillness } from "../../dom/motion.js";
import { ship } from "../../pictures/ship.js";

/** The duration, as in layout.css. */
const SHOWN_MS = 3_200;

/** Shows the end over the picture. @type {(host: Element, words: string, won: boolean) => void} */
export function showEnding(host, words, won) {
  if (stillness() || document.hidden) return;
  const sky = s("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "xMidYMid slice" }, ship());
  const element = h(`div.ending.${won ? "is-won" : "is-lost"}`, { "aria-hidden": "true" }, sky, h("b", words));
  const skip = () => {
    element.remove();
    removeEventListener("keydown", skip);
    clearTimeout(timer);
  };
  const timer = setTimeout(skip, SHOWN_MS);
  element.addEventListener("click", skip);
  addEventListener("keydown", skip);
  host.append(element);
}
