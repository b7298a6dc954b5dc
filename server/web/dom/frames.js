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
  return once(update, (run) => run());
}

/**
 * Returns a way to run `update` once, in a task of its own after the next paint: what costs time and is not seen in
 * that frame, or what asks for the layout that the frame makes anyway.
 * @param {() => void} update
 */
export function after_paint(update) {
  return once(update, (run) => void setTimeout(run));
}

/**
 * @param {() => void} update
 * @param {(run: () => void) => void} in_frame what to do in the frame
 */
function once(update, in_frame) {
  let frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
  };
  const run = () => {
    if (!frame) return;
    stop();
    update();
  };
  return {
    request() {
      if (frame) return;
      frame = requestAnimationFrame(() => in_frame(run));
      timer = setTimeout(run, UNPAINTED_MS);
    },
    stop,
  };
}
