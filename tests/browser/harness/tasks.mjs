/**
 * The tasks of a page's main thread, by the phases that marks of the page begin.
 *
 * @typedef {{ name: string, tasks: { wall: number, own: number }[] }} Phase
 *   `wall` is the time a task took, in milliseconds, and `own` the processor's time in it: on a busy machine the first
 *   one counts what others do as well
 */

/** What the names of marks begin with. */
export const PHASE = "phase: ";
const TASK = "ThreadControllerImpl::RunTask";

/**
 * Records the tasks of a page, and returns the function that ends this and returns the phases in their order.
 * @param {import("playwright-core").CDPSession} session
 * @returns {Promise<() => Promise<Phase[]>>}
 */
export async function recordTasks(session) {
  /** @type {any[]} */
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "blink.user_timing"] },
  });
  return async () => {
    const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
    await session.send("Tracing.end");
    await complete;
    return phases(events);
  };
}

/**
 * @param {any[]} events of a trace
 * @returns {Phase[]}
 */
function phases(events) {
  const marks = events.filter(({ name }) => name.startsWith(PHASE)).sort((one, next) => one.ts - next.ts);
  const main = events
    .filter(({ name, ph, pid, tid }) => name === TASK && ph === "X" && pid === marks[0]?.pid && tid === marks[0].tid)
    .sort((one, next) => one.ts - next.ts || next.dur - one.dur);
  /** @type {Phase[]} */
  const found = marks.map(({ name }) => ({ name: name.slice(PHASE.length), tasks: [] }));
  let until = 0;
  for (const { ts, dur, tdur } of main) {
    // A task within a task is a part of it.
    if (ts < until) continue;
    until = ts + dur;
    // A task that was running when a phase began belongs to that phase.
    const phase = found[marks.findLastIndex((mark) => mark.ts < until)];
    phase?.tasks.push({ wall: dur / 1_000, own: (tdur ?? dur) / 1_000 });
  }
  return found;
}
