/**
 * Prints what the page costs a slow phone: when it can be used, how long its tasks are (while it loads, when a match is
 * shown first, at each ply and at the end) and how long it takes from an input to the next picture. Figures depend on
 * the machine, so no test asserts them; a task's time of the processor depends less on what else the machine does.
 *
 * Usage: node measure.mjs [slowdown of the processor, 4 without it]
 */
import { open } from "./harness/browser.mjs";
import { create, myTurn, over } from "./harness/play.mjs";
import { serve } from "./harness/server.mjs";
import { PHASE, recordTasks } from "./harness/tasks.mjs";

const SLOWDOWN = Number(process.argv[2] ?? 4);
/** Slow 4G as in Lighthouse: 1.6 Mbit/s down, 750 kbit/s up, 150 ms for a round trip. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** The moves of one match at most. */
const MOVES_MAX = 12;
/** The viewer's turn, or the end. */
const TO_MOVE_OR_OVER = ".stage.mine [data-move], .notice.is-over h2";
/** A longer task is a long one, in milliseconds. */
const LONG_MS = 50;
/** The goal for tasks while playing, in milliseconds. */
const GOAL_MS = 100;
const PHONE = { width: 390, height: 844, touch: true, motion: "no-preference" };
const MATCHES = [
  { name: "Fib Fob", game: "fib-fob", position: "g7@7 time=5 nuggets=2 fib=4 fob=6" },
  {
    name: "a wide sum",
    game: "sum",
    position: "wythoff-nim 9,9 + kayles xxxxxxxxxxxxx + staircase-nim 4,2,3,5 + turning-turtles HTHHTHHH",
  },
];

const server = await serve();
const browser = await open();
try {
  await firstVisit();
  for (const match of MATCHES) await played(match);
} finally {
  await browser.close();
  await server.stop();
}

/** Prints when a first visit shows its words and can be used. */
async function firstVisit() {
  const user = await browser.newUser(server, PHONE);
  const { page } = user;
  const session = await user.context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", SLOW_4G);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.goto("/", { waitUntil: "commit" });
  await page.waitForSelector(".connection-state.online");
  const shown = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
  const usable = await page.evaluate(() => performance.now());
  console.log(`first visit, ${SLOWDOWN}× slower, slow 4G: first words ${round(shown)} ms, usable ${round(usable)} ms`);
  await user.context.close();
}

/**
 * Plays a match by its first offered moves and prints its tasks and the time from an input to the next picture.
 * @param {typeof MATCHES[number]} match
 */
async function played({ name, game, position }) {
  const user = await browser.newUser(server, PHONE);
  const { page } = user;
  await page.addInitScript((phase) => {
    performance.mark(`${phase}load`);
    /** @type {any} */ (globalThis).navigation.addEventListener(
      "navigate",
      () => performance.mark(`${phase}first rendering`),
      { once: true },
    );
    globalThis.inputs = [];
    new PerformanceObserver((list) => globalThis.inputs.push(...list.getEntries())).observe({
      type: "event",
      buffered: true,
      durationThreshold: 16,
    });
  }, PHASE);
  const begins = (/** @type {string} */ phase) => page.evaluate((name) => performance.mark(name), PHASE + phase);
  const session = await user.context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const recorded = await recordTasks(session);
  await create(page, { game, position });
  await myTurn(page);
  const begin = await page.evaluate(() => performance.now());
  let moves = 0;
  for (; moves < MOVES_MAX; moves++) {
    await page.waitForSelector(TO_MOVE_OR_OVER, { state: "attached" });
    if (await page.locator(".notice.is-over").count()) break;
    await begins("plies");
    const plies = await page.locator(".ply").count();
    await page.locator(".stage [data-move]").first().dispatchEvent("click");
    await page.click(".bar .primary:not(:disabled)");
    await page.waitForFunction((plies) => document.querySelectorAll(".ply").length > plies, plies);
  }
  await page.waitForSelector(TO_MOVE_OR_OVER, { state: "attached" });
  if (!(await page.locator(".notice.is-over").count())) {
    await begins("end");
    await page.locator(".resign").first().dispatchEvent("click");
    await page.locator(".resign").first().dispatchEvent("click");
  }
  await over(page);
  const phases = await recorded();
  const inputs = await page.evaluate(
    (begin) =>
      globalThis.inputs
        .filter((/** @type {any} */ entry) => entry.startTime >= begin && entry.interactionId)
        .map((/** @type {any} */ { duration }) => Math.round(duration))
        .sort((/** @type {number} */ one, /** @type {number} */ next) => next - one),
    begin,
  );
  console.log(`${name}, ${moves} moves, ${SLOWDOWN}× slower:`);
  for (const phase of new Set(phases.map(({ name }) => name))) {
    const parts = phases.filter(({ name }) => name === phase).map(({ tasks }) => tasks);
    console.log(`  ${phase}: ${words(parts)}`);
  }
  console.log(`  input to picture at worst ${inputs.slice(0, 5).join(", ") || "under 16"} ms`);
  await user.context.close();
}

/**
 * Returns the longest task of each part, and how many there are of more than the bounds.
 * @param {{ wall: number, own: number }[][]} parts
 */
function words(parts) {
  return /** @type {const} */ (["wall", "own"])
    .map((kind) => {
      const tasks = parts.flat().map((task) => task[kind]);
      const longest = parts.map((part) => round(Math.max(0, ...part.map((task) => task[kind]))));
      const longer = (/** @type {number} */ bound) => tasks.filter((time) => time > bound).length;
      return (
        `longest tasks ${longest.join(", ")} ms${kind === "own" ? " of the processor" : ""}, ` +
        `${longer(LONG_MS)} over ${LONG_MS}, ${longer(GOAL_MS)} over ${GOAL_MS}`
      );
    })
    .join("; ");
}

/** @param {number} value */
function round(value) {
  return Math.round(value);
}
