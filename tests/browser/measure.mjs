/**
 * Prints what the page costs a slow phone: when it can be used, how long its tasks are, and how long it takes from an
 * input to the next picture. Figures depend on the machine, so no test asserts them.
 *
 * Usage: node measure.mjs [slowdown of the processor, 4 without it]
 */
import { open } from "./harness/browser.mjs";
import { create, my_turn, over } from "./harness/play.mjs";
import { serve } from "./harness/server.mjs";

const SLOWDOWN = Number(process.argv[2] ?? 4);
/** Slow 4G as in Lighthouse: 1.6 Mbit/s down, 750 kbit/s up, 150 ms for a round trip. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** The moves of one match at most. */
const MOVES_MAX = 12;
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
  await first_visit();
  for (const match of MATCHES) await played(match);
} finally {
  await browser.close();
  await server.stop();
}

/** Prints when a first visit shows its words and can be used. */
async function first_visit() {
  const user = await browser.new_user(server, PHONE);
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
 * Plays a match by its first offered moves and prints its long tasks and the time from an input to the next picture.
 * @param {typeof MATCHES[number]} match
 */
async function played({ name, game, position }) {
  const user = await browser.new_user(server, PHONE);
  const { page } = user;
  await page.addInitScript(() => {
    globalThis.tasks = [];
    globalThis.inputs = [];
    const observe = (/** @type {PerformanceObserverInit} */ what, /** @type {any[]} */ into) =>
      new PerformanceObserver((list) => into.push(...list.getEntries())).observe(what);
    observe({ type: "longtask", buffered: true }, globalThis.tasks);
    observe({ type: "event", buffered: true, durationThreshold: 16 }, globalThis.inputs);
  });
  await create(page, { game, position });
  await my_turn(page);
  const session = await user.context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const begin = await page.evaluate(() => performance.now());
  let moves = 0;
  for (; moves < MOVES_MAX; moves++) {
    await page.waitForSelector(".stage.mine [data-move], .notice.is-over h2", { state: "attached" });
    if (await page.locator(".notice.is-over").count()) break;
    const plies = await page.locator(".ply").count();
    await page.locator(".stage [data-move]").first().dispatchEvent("click");
    await page.click(".bar .primary:not(:disabled)");
    await page.waitForFunction((plies) => document.querySelectorAll(".ply").length > plies, plies);
  }
  if (moves === MOVES_MAX) {
    await page.locator(".resign").first().dispatchEvent("click");
    await page.locator(".resign").first().dispatchEvent("click");
  }
  await over(page);
  const { tasks, inputs } = await page.evaluate((begin) => {
    const durations = (/** @type {any[]} */ entries) =>
      entries
        .filter((entry) => entry.startTime >= begin && (entry.interactionId ?? 1) !== 0)
        .map(({ duration }) => Math.round(duration))
        .sort((one, next) => next - one);
    return { tasks: durations(globalThis.tasks), inputs: durations(globalThis.inputs) };
  }, begin);
  console.log(
    `${name}, ${moves} moves, ${SLOWDOWN}× slower: ` +
      `${tasks.length} long tasks (over 50 ms), the longest ${tasks.slice(0, 5).join(", ") || "none"} ms; ` +
      `input to picture at worst ${inputs.slice(0, 5).join(", ") || "under 16"} ms`,
  );
  await user.context.close();
}

/** @param {number} value */
function round(value) {
  return Math.round(value);
}
