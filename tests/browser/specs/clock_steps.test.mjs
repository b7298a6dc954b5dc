// The clocks of a match while the clock of the device is set, and after the device has slept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, create, myTurn, online } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** By so much somebody sets the clock of a device, in milliseconds. */
const STEPS = [45_000, -45_000, 3_600_000, -3_600_000];
const SLEEP_MS = 30_000;
/** The most by which a shown clock may be wrong, in seconds. */
const WRONG_MAX_S = 1;

/** Lets a test set the device's clock, and stop what counts on in a waking device only. */
function adjustable() {
  const clocks = { set: 0, slept: 0 };
  const [date, counter] = [Date.now.bind(Date), performance.now.bind(performance)];
  Date.now = () => date() + clocks.set;
  performance.now = () => counter() - clocks.slept;
  Object.assign(window, { clocks });
}

/** The seconds that a page shows on the clock that runs. @param {import("playwright-core").Page} page */
async function shown(page) {
  const text = (await page.textContent(".seat .clock.runs")) ?? "";
  const [minutes, seconds] = text.split(":").map(Number);
  return minutes * 60 + seconds;
}

test("a shown clock stays right when the device's clock is set, and after a sleep", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await ada.context.addInitScript(adjustable);
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend", time: 2 });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 1");
  await myTurn(bo.page);
  await click(bo.page, "take 1 from 2");
  await ada.page.waitForSelector(".clock.runs");

  /** @param {string} what */
  async function isRight(what) {
    // Both pages show the next second before they are compared.
    const before = await bo.page.textContent(".clock.runs");
    await bo.page.waitForFunction((before) => document.querySelector(".clock.runs")?.textContent !== before, before);
    await online(ada.page);
    await bo.page.waitForTimeout(1_100);
    const [own, other] = await Promise.all([ada.page, bo.page].map(shown));
    assert.ok(Math.abs(own - other) <= WRONG_MAX_S, `${what}: ${own} s are shown, and ${other} s are left`);
  }

  await isRight("at first");
  for (const step of STEPS) {
    await ada.page.evaluate((step) => /** @type {any} */ (window.clocks.set += step), step);
    await isRight(`after a step of ${step} ms`);
  }
  // In a sleep the device's clock goes on, and the counter stands still.
  await ada.page.evaluate((ms) => /** @type {any} */ (window.clocks.slept += ms), SLEEP_MS);
  await isRight("after a sleep");
  for (const user of [ada, bo]) await user.clean();
});
