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
    if (font) await large_letters(page, font);
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

for (const { name, font, ...size } of WINDOWS) {
  test(`every game's picture fits one window and can be reached: ${name}`, async () => {
    const games = await (await fetch(`${server.base}/api/games`)).json();
    const { page, clean } = await browser.new_user(server, { ...size, touch: true });
    if (font) await large_letters(page, font);
    for (const { id, example } of games) {
      await create(page, { game: id, position: example });
      await my_turn(page);
      assert.deepEqual(await cut_off(page), [], id);
      // A sum and a long row of pins scroll down, and nothing scrolls sideways.
      const [sideways, down] = await page.$eval(".stage", (stage) => [
        stage.scrollWidth - stage.clientWidth,
        stage.scrollHeight - stage.clientHeight,
      ]);
      assert.ok(sideways <= 0 && (["sum", "kayles"].includes(id) || down <= 8), `${id}: ${sideways}, ${down}`);
      const pairs = await page.$$eval(".pair:not(:disabled)", (pairs) =>
        pairs.map((pair) => Math.min(pair.getBoundingClientRect().width, pair.getBoundingClientRect().height)),
      );
      assert.ok(
        pairs.every((side) => side >= 43.5),
        `${id}: ${pairs}`,
      );
    }
    await clean();
  });
}

/**
 * The moves and fields that lie neither in the stage nor in what scrolls in it.
 * @param {import("playwright-core").Page} page
 */
function cut_off(page) {
  return page.$eval(".stage", (stage) => {
    const frame = stage.getBoundingClientRect();
    return [...stage.querySelectorAll("[data-move]:not(:disabled), input:not(:disabled)")].flatMap((element) => {
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      if (getComputedStyle(element).visibility === "hidden") return [];
      const scrolled = stage.scrollHeight > stage.clientHeight + 8;
      const inside = left >= frame.left - 1 && right <= frame.right + 1;
      const reached = scrolled || (top >= frame.top - 1 && bottom <= frame.bottom + 9);
      const name = element.getAttribute("data-move") ?? element.className;
      return inside && reached && Math.max(width, height) > 3 ? [] : [`${name}: ${[left, top, right, bottom]}`];
    });
  });
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} font
 */
function large_letters(page, font) {
  return page.addInitScript((font) => {
    document.addEventListener("DOMContentLoaded", () => (document.documentElement.style.fontSize = font));
  }, font);
}

for (const [width, height] of [
  [390, 844],
  [844, 390],
]) {
  test(`a sheet leaves the boards in sight, and forms do not overlap: ${width}×${height}`, async () => {
    const { page, clean } = await browser.new_user(server, { width, height, touch: true });
    await page.goto("/");
    await page.waitForSelector(".connection-state.online");
    await page.tap(".play-friend");
    assert.deepEqual(await overlaps(page, [".ask h2", ".ask label", ".ask input", ".ask p", ".ask .row"]), []);
    await page.tap(".ask .row button");
    await create(page, { position: POSITION, learning: true });
    await my_turn(page);
    for (const sheet of ["moves", "chat", "analysis"]) {
      await page.tap(`.tab.of-${sheet}`);
      await page.waitForFunction((sheet) => document.querySelector(`[data-sheet=${sheet}]`), sheet);
      assert.deepEqual(await overlaps(page, [".stack", ".sheet", ".bar", ".tabs", ".players"]), [], sheet);
      assert.deepEqual(await outside(page, [".stack", ".sheet", ".bar", ".tabs"]), [], sheet);
      await picture(page, `sheet-${sheet}-${width}`);
    }
    await clean();
  });
}

/**
 * The pairs of selectors whose elements overlap.
 * @param {import("playwright-core").Page} page
 * @param {string[]} selectors
 */
function overlaps(page, selectors) {
  return page.evaluate((selectors) => {
    const boxes = selectors.map((selector) => {
      const element = document.querySelector(selector);
      if (!element) throw new Error(`${selector} is missing`);
      return element.getBoundingClientRect();
    });
    return selectors.flatMap((selector, one) =>
      selectors
        .slice(one + 1)
        .map((_, index) => one + 1 + index)
        .filter((other) => {
          const [a, b] = [boxes[one], boxes[other]];
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          return across > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
        })
        .map((other) => `${selector} and ${selectors[other]}`),
    );
  }, selectors);
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
