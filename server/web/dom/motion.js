/** Animations, and the reader's preference for reduced motion. */

const query = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns whether the reader prefers reduced motion. */
export function stillness() {
  return query.matches || document.documentElement.dataset.motion === "still";
}

/**
 * Calls `draw` with a progress from 0 to 1 over `ms`, or once with 1 if motion is reduced.
 * @param {number} ms
 * @param {(share: number) => void} draw
 * @returns {() => void} stops the animation
 */
export function over(ms, draw) {
  if (stillness() || document.hidden) {
    draw(1);
    return () => {};
  }
  const begun = performance.now();
  let frame = requestAnimationFrame(step);
  /** @param {number} now */
  function step(now) {
    const share = Math.min(1, Math.max(0, (now - begun) / ms));
    draw(share);
    if (share < 1) frame = requestAnimationFrame(step);
  }
  return () => cancelAnimationFrame(frame);
}

/** Eases a progress in and out. @param {number} share */
export function eased(share) {
  return share < 0.5 ? 4 * share ** 3 : 1 - (-2 * share + 2) ** 3 / 2;
}

/** Interpolates between two numbers. @type {(from: number, to: number, share: number) => number} */
export function between(from, to, share) {
  return from + (to - from) * share;
}
