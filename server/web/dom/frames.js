/** Updates that several changes share. */

/** The longest wait for a paint, in milliseconds: a tab that nobody sees is never painted. */
const UNPAINTED_MS = 250;

/**
 * Returns a way to run `update` once before the next paint, however often it is asked for; in a tab that nobody sees,
 * soon.
 * @param {() => void} update
 */
export function beforePaint(update) {
  return once(update, (run) => run());
}

/**
 * Returns a way to run `update` once, in a task of its own after the next paint: what costs time and is not seen in
 * that frame, or what asks for the layout that the frame makes anyway.
 * @param {() => void} update
 */
export function afterPaint(update) {
  return once(update, (run) => void setTimeout(run));
}

/** @type {(update: () => void, inFrame: (run: () => void) => void) => { request: () => void, stop: () => void }} */
function once(update, inFrame) {
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
      frame = requestAnimationFrame(() => inFrame(run));
      timer = setTimeout(run, UNPAINTED_MS);
    },
    stop,
  };
}
