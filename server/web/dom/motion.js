/** Animations, and the reader's preference for reduced motion. */

const query = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns whether the reader prefers reduced motion. */
export function stillness() {
  return query.matches || document.documentElement.dataset.motion === "still";
}

/**
 * Returns a function that lets numbers go to others over `ms`, from wherever they are; at once if motion is reduced.
 * `draw` gets the numbers, and whether they have arrived; those that are there already are drawn again.
 * @type {(ms: number, draw: (numbers: number[], arrived: boolean) => void) => (...goal: number[]) => void}
 */
export function gliding(ms, draw) {
  /** @type {number[]} */
  let shown = [];
  let target = "";
  let frame = 0;
  return (...goal) => {
    if (frame && target === goal.join()) return;
    cancelAnimationFrame(frame);
    target = goal.join();
    const from = shown.length ? shown : goal;
    const begun = performance.now();
    /** @param {number} now */
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - begun) / ms));
      // Slow at both ends.
      const eased = share < 0.5 ? 4 * share ** 3 : 1 - (-2 * share + 2) ** 3 / 2;
      shown = goal.map((value, index) => between(from[index], value, eased));
      frame = share < 1 ? requestAnimationFrame(step) : 0;
      draw(shown, !frame);
    };
    step(from.join() === target || stillness() || document.hidden ? Infinity : begun);
  };
}

/** Interpolates between two numbers. @type {(from: number, to: number, share: number) => number} */
export function between(from, to, share) {
  return from + (to - from) * share;
}
