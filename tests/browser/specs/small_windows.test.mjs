// Phones, zoom and large letters: boards, instruments and the button that plays a move share one window.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { create, my_turn } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

const POSITION = "g6@5 time=15 nuggets=5 fib=12 fob=9";
const WINDOWS = [
  { name: "phone portrait", width: 390, height: 844 },
  { name: "small phone", width: 360, height: 640 },
  { name: "phone landscape", width: 844, height: 390 },
  { name: "200 % zoom of 1920×1080", width: 960, height: 540 },
  { name: "letters of 32 px in 1920×1080", width: 1920, height: 1080, font: "32px" },
];

/**
 * The selectors whose elements do not lie wholly in the window.
 * @param {import("playwright-core").Page} page
 * @param {string[]} selectors
 */
function outside(page, selectors) {
  return page.evaluate((selectors) => {
    return selectors.flatMap((selector) => {
      const found = [...document.querySelectorAll(selector)];
      if (!found.length) return [`${selector}: missing`];
      return found.flatMap((element) => {
        const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
        const inside = left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
        return inside && width > 0 && height > 0 ? [] : [`${selector}: ${[left, top, right, bottom].map(Math.round)}`];
      });
    });
  }, selectors);
}

for (const { name, font, ...size } of WINDOWS) {
  test(`a match fits one window: ${name}`, async () => {
    const { page, clean } = await browser.new_user(server, { ...size, touch: true });
    if (font) {
      await page.addInitScript((font) => {
        document.addEventListener("DOMContentLoaded", () => (document.documentElement.style.fontSize = font));
      }, font);
    }
    await create(page, { position: POSITION });
    await my_turn(page);
    const parts = [".stack", ".dial", ".tank", ".dial-part button", ".tank-part button", ".bar", ".tab:not([hidden])"];
    assert.deepEqual(await outside(page, parts), []);
    const boards = await page.locator(".stack").boundingBox();
    assert.ok(boards.height >= 0.28 * size.height && boards.width >= 0.3 * size.width, JSON.stringify(boards));
    await page.tap('.stage [data-move="ship c6@5"]');
    await page.waitForFunction(() => /c6@5/.test(document.querySelector(".bar .quiet")?.textContent ?? ""));
    assert.deepEqual(await outside(page, [".stack", ".bar", ".bar .primary"]), []);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight),
      0,
    );
    await picture(page, `window-${name.replaceAll(/\W+/g, "-")}`);
    await page.tap(".tab.of-moves");
    await page.waitForSelector(".walk");
    assert.deepEqual(await outside(page, [".sheet", ".bar", ".stack"]), []);
    await page.tap(".tab.of-moves");
    await page.waitForSelector(".walk", { state: "hidden" });
    await clean();
  });
}

test("an unread message is seen beside the boards, and read in its sheet", async () => {
  const ada = await browser.new_user(server, { width: 390, height: 844, touch: true });
  const bo = await browser.new_user(server);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await my_turn(ada.page);
  await bo.page.selectOption(".chat select", "good-luck");
  await bo.page.click(".chat form:has(select) button");
  await ada.page.waitForSelector(".chat-bubble:has-text('Good luck')");
  assert.match((await ada.page.textContent(".tab.of-chat")) ?? "", /1/);
  assert.deepEqual(await outside(ada.page, [".chat-bubble"]), []);
  await picture(ada.page, "chat-unread-phone");
  await ada.page.tap(".chat-bubble");
  await ada.page.waitForSelector(".chat-lines:has-text('Good luck')");
  await ada.page.waitForSelector(".chat-bubble", { state: "hidden" });
  assert.equal(await ada.page.locator(".badge:visible").count(), 0);
  for (const user of [ada, bo]) await user.clean();
});

test("the ship is dragged by touch, and the page does not scroll meanwhile", async () => {
  const { page, context, clean } = await browser.new_user(server, { width: 390, height: 844, touch: true });
  await create(page, { game: "rooks", position: "d4@2" });
  await my_turn(page);
  const middle = async (/** @type {string} */ selector) => {
    const { x, y, width, height } = await page.locator(selector).boundingBox();
    return { x: x + width / 2, y: y + height / 2 };
  };
  const from = await middle(".ship:not(.ghost) .ship-hull");
  const to = await middle('[data-move="ship d1@2"]');
  const session = await context.newCDPSession(page);
  const touch = (/** @type {string} */ type, /** @type {object[]} */ touchPoints) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", [from]);
  for (let step = 1; step <= 10; step++) {
    await touch("touchMove", [
      { x: from.x + ((to.x - from.x) * step) / 10, y: from.y + ((to.y - from.y) * step) / 10 },
    ]);
  }
  await touch("touchEnd", []);
  await page.waitForFunction(() => document.querySelector(".bar b")?.textContent === "ship d1@2");
  assert.equal(await page.evaluate(() => scrollY), 0);
  await clean();
});
