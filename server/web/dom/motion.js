/**
 * Movement over time, and whether the reader wants any.
 */

const query = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether nothing should move. */
export function stillness() {
  return query.matches || document.documentElement.dataset.motion === "still";
}

/**
 * Calls `draw` with a share from 0 to 1 over `ms`; at once with 1 where nothing should move.
 * @param {number} ms
 * @param {(share: number) => void} draw
 * @returns {() => void} ends it where it should be
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

/**
 * Slow at both ends.
 * @param {number} share
 */
export function eased(share) {
  return share < 0.5 ? 4 * share ** 3 : 1 - (-2 * share + 2) ** 3 / 2;
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} share
 */
export function between(from, to, share) {
  return from + (to - from) * share;
}
