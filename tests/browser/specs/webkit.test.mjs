// The page in WebKit: two friends, the rules at the first match, a phone, and accessibility.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { ARTIFACTS } from "../harness/browser.mjs";
import { my_turn } from "../harness/play.mjs";
import { another_device, play, two_friends } from "../harness/scenarios.mjs";
import { serve } from "../harness/server.mjs";
import { webkit } from "../harness/webkit.mjs";

const POSITION = "g6@5 time=15 nuggets=5 fib=12 fob=9";
const PHONE = { width: 390, height: 844 };

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Awaited<ReturnType<typeof webkit>>} */
let browser;
before(async () => {
  server = await serve();
  browser = await webkit();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/**
 * Starts a match of Fib Fob, in which the viewer moves first.
 * @param {import("../harness/webdriver.mjs").WebDriverPage} page
 * @param {string} opponent
 */
async function create(page, opponent = "bot") {
  await page.goto("/");
  await page.waitForFunction(() => document.querySelectorAll("#create-game option").length > 1);
  for (const value of [opponent, "me", "typed"]) await page.click(`.create-form label:has(input[value="${value}"])`);
  await page.fill("#create-position", POSITION);
  await page.click(".create-form button.primary");
  await page.waitForSelector(".match");
  return new URL(await page.url()).pathname;
}

test("WebKit: two named friends play from the link to the rematch, and back to the first match", async () => {
  const ada = await browser.new_user(server);
  const bo = await browser.new_user(server);
  await two_friends(ada.page, bo.page);
  for (const user of [ada, bo]) await user.clean();
});

test("WebKit: a code makes a phone the same guest", async () => {
  const ada = await browser.new_user(server);
  const phone = await browser.new_user(server, PHONE);
  await another_device(ada.page, phone.page);
  for (const user of [ada, phone]) await user.clean();
});

test("WebKit: the first match begins with the rules, for an invited friend before taking the seat", async () => {
  const ada = await browser.new_user(server, { rules: true });
  const bo = await browser.new_user(server, { ...PHONE, rules: true });
  const path = await create(ada.page, "friend");
  await bo.page.goto(path);
  for (const [name, { page }] of Object.entries({ ada, bo })) {
    await page.waitForSelector(".how-sheet[open] .how-moves li");
    await page.screenshot({ path: `${ARTIFACTS}webkit-rules-${name}.png` });
    await page.click(".how-done");
    await page.waitForSelector(".how-sheet", { state: "detached" });
  }
  await bo.page.click(".take-seat");
  await my_turn(ada.page);
  for (const user of [ada, bo]) await user.clean();
});

test("WebKit: a match fits a phone, and a move is made by dragging the ship", async () => {
  const { page, clean } = await browser.new_user(server, PHONE);
  await create(page);
  await my_turn(page);
  const outside = await page.evaluate(() =>
    [".stack", ".dial", ".tank", ".bar", ".tab:not([hidden])"].filter((selector) =>
      [...document.querySelectorAll(selector)].some((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        return left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
      }),
    ),
  );
  assert.deepEqual(outside, []);
  await page.screenshot({ path: `${ARTIFACTS}webkit-phone.png` });
  const middle = (/** @type {string} */ selector) =>
    page.evaluate((selector) => {
      const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }, selector);
  const from = await middle(".ship:not(.ghost) .ship-hull");
  const to = await middle('[data-move="ship c6@5"]');
  // By mouse: asked for touch, this driver sends pointer events of the type `mouse` and no `touchstart`. So neither a
  // finger's events nor whether the page scrolls under it is shown in WebKit; the specs in Chromium show both.
  await page.drag("mouse", [from, { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }, to]);
  await page.waitForFunction(() => document.querySelector(".bar b")?.textContent === "ship c6@5");
  await page.click(".bar .primary");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length === 2);
  await clean();
});

test("WebKit: axe finds no violation on the start page, in a match, in the rules and at the end", async () => {
  const { page, clean } = await browser.new_user(server);
  await page.goto("/");
  await page.waitForSelector(".connection-state.online");
  assert.deepEqual(await violations(page), [], "the start page");
  await create(page);
  await my_turn(page);
  await play(page, "ship c6@5");
  await my_turn(page);
  assert.deepEqual(await violations(page), [], "a match");
  await page.screenshot({ path: `${ARTIFACTS}webkit-match.png` });
  await page.click(".how-button");
  await page.waitForSelector(".how-sheet[open]");
  assert.deepEqual(await violations(page), [], "the rules");
  await page.click(".how-done");
  await page.click(".resign");
  await page.click(".resign");
  await page.waitForSelector(".notice.you-lost");
  assert.deepEqual(await violations(page), [], "the end");
  await clean();
});
