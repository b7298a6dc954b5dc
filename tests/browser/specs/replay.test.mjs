// A replay goes back to the very first position for everybody, whenever they came.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, create, myTurn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** @param {import("playwright-core").Page} page */
const heaps = (page) => page.$$eval(".heap-count", (counts) => counts.map((count) => count.textContent?.trim()));

test("players, a spectator and a late visitor see the first position, by buttons, keys and slider", async () => {
  const users = await Promise.all([1, 2, 3, 4].map(() => browser.newUser(server)));
  const [ada, bo, cy, late] = users.map(({ page }) => page);
  const path = await create(ada, { game: "nim", position: "3,4,5", opponent: "friend", first: "me" });
  await bo.goto(path);
  await bo.click(".take-seat");
  await cy.goto(path);
  await myTurn(ada);
  const first = await heaps(ada);
  assert.deepEqual(first, ["3", "4", "5"]);
  await click(ada, "take 3 from 1");
  await myTurn(bo);
  await click(bo, "take 1 from 2");
  const at = async (/** @type {typeof ada} */ page, /** @type {string[]} */ wanted) =>
    page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll(".heap-count")].map((count) => count.textContent?.trim()).join() === wanted,
      wanted.join(),
    );
  // While the match is played.
  for (const page of [ada, bo, cy]) {
    await at(page, ["0", "3", "5"]);
    await page.click(".walk button:first-child");
    await at(page, ["3", "4", "5"]);
    await page.click(".walk button:last-child");
    await at(page, ["0", "3", "5"]);
  }
  await myTurn(ada);
  await ada.click(".resign");
  await ada.click(".resign");
  await over(bo);
  // Afterwards, also for somebody who was not there.
  await late.goto(path);
  for (const page of [ada, bo, cy, late]) {
    await at(page, ["0", "3", "5"]);
    await page.fill('.moves-panel input[type="range"]', "0");
    await at(page, ["3", "4", "5"]);
  }
  for (const user of users) await user.clean();
});
