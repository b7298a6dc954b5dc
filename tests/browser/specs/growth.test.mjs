// Many matches in one tab: what a finished match leaves behind does not add up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, create, fillForm, myTurn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** The matches of one run; fifty and more are for a run by hand. */
const MATCHES = Number(process.env.FIBFOB_MATCHES ?? 12);
/** Matches before the first measurement; they fill caches such as the list of own matches. */
const WARM = 4;
/** The most that two moments may differ by, however many matches lie between them; a kept page has hundreds. */
const ELEMENTS = 60;
const NODES = 100;
const LISTENERS = 5;

test(`${MATCHES} matches in a tab leave no nodes and no listeners behind`, { timeout: 240_000 }, async (context) => {
  const user = await browser.newUser(server);
  const { page } = user;
  const session = await user.context.newCDPSession(page);
  await session.send("Performance.enable");
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) =>
      globalThis.longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration))),
    ).observe({ type: "longtask", buffered: true });
  });
  await create(page, { game: "nim", position: "1" });
  await page.evaluate(() => (globalThis.sameTab = true));

  let warm = null;
  for (let match = 1; match <= MATCHES; match++) {
    if (match > 1) {
      await page.click('a.brand, header a[href="/"]');
      await fillForm(page, { game: "nim", first: "me" }, "1");
      await page.click(".create-form button.primary");
    }
    // A handle that a wait returns keeps the element, and with it the page that it was a part of.
    await (await myTurn(page)).dispose();
    await click(page, "take 1 from 1");
    await (await over(page)).dispose();
    if (match === WARM) warm = await measure(page, session);
  }
  const end = await measure(page, session);
  assert.ok(await page.evaluate(() => globalThis.sameTab), "no match loaded the page anew");
  const long = await page.evaluate(() => globalThis.longTasks);
  context.diagnostic(`after ${WARM} matches ${JSON.stringify(warm)}, after ${MATCHES} ${JSON.stringify(end)}`);
  context.diagnostic(`long tasks: ${long.length}, longest ${Math.max(0, ...long)} ms`);
  assert.ok(end.elements - warm.elements <= ELEMENTS, `${end.elements} elements, ${warm.elements} before`);
  assert.ok(end.nodes - warm.nodes <= NODES, `${end.nodes} nodes, ${warm.nodes} before`);
  assert.ok(end.listeners - warm.listeners <= LISTENERS, `${end.listeners} listeners, ${warm.listeners} before`);
  await user.clean();
});

/**
 * Counts what the tab holds after its garbage is collected.
 * @param {import("playwright-core").Page} page
 * @param {import("playwright-core").CDPSession} session
 */
async function measure(page, session) {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (/** @type {string} */ wanted) => metrics.find(({ name }) => name === wanted)?.value ?? NaN;
  return {
    elements: await page.evaluate(() => document.querySelectorAll("*").length),
    nodes: value("Nodes"),
    listeners: value("JSEventListeners"),
    heapKb: Math.round(value("JSHeapUsedSize") / 1024),
  };
}
