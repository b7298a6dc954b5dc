/**
 * The size of pictures made of pieces: coins, turtles and pins are as large as the window allows, so that a row of them
 * neither leaves a large window empty nor is cut off in a small one. Pictures that are one drawing fit by themselves.
 */
import { changes } from "../../dom/build.js";

const PIECES = ":scope > :is(.heaps-picture, .row-picture), .sum-large > :is(.heaps-picture, .row-picture)";
/** The scales that are tried, largest first; only coins shrink. */
const SCALES = [4.4, 3.8, 3.3, 2.8, 2.4, 2.1, 1.85, 1.6, 1.4, 1.2, 1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.5, 0.42];

/** Keeps the pieces in `stage` fitting. @param {HTMLElement} stage */
export function fit(stage) {
  const isOtherSize = changes();
  /** @type {HTMLElement | null} */
  let last = null;

  function update() {
    const pieces = /** @type {HTMLElement | null} */ (stage.querySelector(PIECES));
    if (!pieces || !stage.isConnected) return;
    if (!isOtherSize(stage.clientWidth, stage.clientHeight) && pieces === last) return;
    last = pieces;
    // Turtles, pins and the links between pins stay as large as a finger; coins have a stepper besides.
    const shrinks = pieces.classList.contains("heaps-picture");
    const scales = SCALES.filter((scale) => shrinks || scale >= 1);
    const [frame, row] = /** @type {Element[]} */ ([pieces.parentElement, pieces.firstElementChild]);
    const top = (/** @type {Element | null} */ piece) => piece?.getBoundingClientRect().top;
    /** Applies the largest scale at which the pieces fit. @param {boolean} oneLine   whether they may not wrap */
    const apply = (oneLine) =>
      scales.some((scale) => {
        pieces.style.setProperty("--fit", String(scale));
        const fits = frame.scrollHeight <= frame.clientHeight && frame.scrollWidth <= frame.clientWidth;
        return fits && !(oneLine && top(row.firstElementChild) !== top(row.lastElementChild));
      });
    // Without wrapping, "to its left" is what one sees.
    const found = apply(pieces.classList.contains("row-picture")) || apply(false);
    if (!found) pieces.style.setProperty("--fit", String(scales.at(-1)));
  }

  const observer = new ResizeObserver(update);
  observer.observe(stage);
  return { update, stop: () => observer.disconnect() };
}
