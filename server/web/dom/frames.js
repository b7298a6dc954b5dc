/**
 * Updates that several changes share.
 */

/** The longest wait for a paint, in milliseconds: a tab that nobody sees is never painted. */
const UNPAINTED_MS = 250;

/**
 * Returns a way to run `update` once before the next paint, however often it is asked for; in a tab that nobody sees,
 * soon.
 * @param {() => void} update
 */
export function before_paint(update) {
  let frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
  };
  const run = () => {
    stop();
    update();
  };
  return {
    request() {
      if (frame) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, UNPAINTED_MS);
    },
    stop,
  };
}
