// Phones, zoom and large letters: boards, instruments and the button that plays a move share one window.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { create, myTurn, online, wide } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { WINDOWS, outside } from "../harness/windows.mjs";

const POSITION = "g6@5 time=15 nuggets=5 fib=12 fob=9";
for (const { name, font, ...size } of WINDOWS) {
  test(`a match fits one window: ${name}`, async () => {
    const { page, clean } = await browser.newUser(server, { ...size, touch: true });
    if (font) await largeLetters(page, font);
    await create(page, { position: POSITION });
    await myTurn(page);
    const parts = [".stack", ".dial", ".tank", ".dial-part button", ".tank-part button", ".bar", ".tab:not([hidden])"];
    assert.deepEqual(await outside(page, parts), []);
    const boards = await page.locator(".stack").boundingBox();
    assert.ok(boards.height >= 0.6 * size.height && boards.width >= 0.3 * size.width, JSON.stringify(boards));
    await page.tap('.stage [data-move="ship c6@5"]');
    await page.waitForFunction(() => /c6@5/.test(document.querySelector(".bar .quiet")?.title ?? ""));
    assert.deepEqual(await outside(page, [".stack", ".bar", ".bar .primary"]), []);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight),
      0,
    );
    await picture(page, `window-${name.replaceAll(/\W+/g, "-")}`);
    // On a short phone the bar with a move takes the place of the tabs.
    await page.tap(".bar button:not(.primary)");
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
    const { page, clean } = await browser.newUser(server, { ...size, touch: true });
    if (font) await largeLetters(page, font);
    for (const { id, example } of games) {
      await create(page, { game: id, position: example });
      await myTurn(page);
      assert.deepEqual(await cutOff(page), [], id);
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
function cutOff(page) {
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
function largeLetters(page, font) {
  return page.addInitScript((font) => {
    document.addEventListener("DOMContentLoaded", () => (document.documentElement.style.fontSize = font));
  }, font);
}

for (const [width, height] of [
  [390, 844],
  [844, 390],
]) {
  test(`a sheet leaves the boards in sight, and forms do not overlap: ${width}×${height}`, async () => {
    const { page, clean } = await browser.newUser(server, { width, height, touch: true });
    await page.goto("/");
    await online(page);
    await page.tap(".play-friend");
    await page.waitForSelector(".inviting .how-moves");
    const sheet = [".inviting h2", ".inviting .link", ".inviting .share-field .row", ".inviting .ask-name"];
    assert.deepEqual(await overlaps(page, [...sheet, ".invite-terms", ".inviting .how-body", ".withdraw"]), []);
    assert.ok((await wide(page)) <= 0);
    await create(page, { position: POSITION, learning: true });
    await myTurn(page);
    for (const sheet of ["moves", "analysis"]) {
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
  const ada = await browser.newUser(server, { width: 390, height: 844, touch: true });
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await bo.page.selectOption(".chat select", "good-luck");
  await bo.page.click(".chat form:has(select) button");
  await ada.page.waitForSelector(".bar:has-text('Good luck')");
  assert.match((await ada.page.textContent(".tab.of-chat")) ?? "", /1/);
  await picture(ada.page, "chat-unread-phone");
  await ada.page.tap(".tab.of-chat");
  await ada.page.waitForSelector(".chat-lines:has-text('Good luck')");
  assert.deepEqual(await overlaps(ada.page, [".sheet", ".bar", ".tabs", ".players"]), []);
  assert.deepEqual(await outside(ada.page, [".sheet", ".bar", ".tabs"]), []);
  await ada.page.waitForSelector(".bar:not(:has-text('Good luck'))");
  assert.equal(await ada.page.locator(".badge:visible").count(), 0);
  for (const user of [ada, bo]) await user.clean();
});

/**
 * Drags a finger over the page.
 * @param {{ page: import("playwright-core").Page, context: import("playwright-core").BrowserContext }} user
 * @param {{ x: number, y: number }[]} places
 */
async function dragByTouch({ page, context }, places) {
  const session = await context.newCDPSession(page);
  const touch = (/** @type {string} */ type, /** @type {object[]} */ touchPoints) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", [places[0]]);
  for (const [index, to] of places.slice(1).entries()) {
    const from = places[index];
    for (let step = 1; step <= 10; step++) {
      await touch("touchMove", [
        { x: from.x + ((to.x - from.x) * step) / 10, y: from.y + ((to.y - from.y) * step) / 10 },
      ]);
    }
  }
  await touch("touchEnd", []);
  await session.detach();
}

test("the ship is dragged by touch, and the page does not scroll meanwhile", async () => {
  const user = await browser.newUser(server, { width: 390, height: 844, touch: true });
  const { page, clean } = user;
  await create(page, { game: "rooks", position: "d4@2" });
  await myTurn(page);
  const middle = async (/** @type {string} */ selector) => {
    const { x, y, width, height } = await page.locator(selector).boundingBox();
    return { x: x + width / 2, y: y + height / 2 };
  };
  const from = await middle(".ship:not(.ghost) .ship-hull");
  const to = await middle('[data-move="ship d1@2"]');
  await dragByTouch(user, [from, to]);
  await page.waitForFunction(() => document.querySelector(".bar b")?.title === "ship d1@2");
  assert.equal(await page.evaluate(() => scrollY), 0);
  await clean();
});

test("the dial is turned and a tank is pulled down by touch, and nothing scrolls meanwhile", async () => {
  const user = await browser.newUser(server, { width: 390, height: 844, touch: true });
  const { page, clean } = user;
  await create(page, { position: "a1@1 time=16 nuggets=0 fib=12 fob=3" });
  await myTurn(page);
  const chosen = (/** @type {string} */ move) =>
    page.waitForFunction((move) => document.querySelector(".bar b")?.title === move, move);
  const dial = await page.locator(".dial").boundingBox();
  const [x, y, radius] = [dial.x + dial.width / 2, dial.y + dial.height / 2, dial.width * 0.35];
  await dragByTouch(user, [
    { x: x - radius, y },
    { x: x + radius * 0.7, y: y + radius * 0.7 },
    { x: x + radius, y },
  ]);
  await chosen("time -12");
  const tank = await page.locator(".tank").first().boundingBox();
  const level = (/** @type {number} */ share) => ({ x: tank.x + tank.width / 2, y: tank.y + tank.height * share });
  await dragByTouch(user, [level(0.3), level(0.98)]);
  await chosen("eject fib");
  assert.deepEqual(await page.evaluate(() => [scrollY, document.querySelector(".stage").scrollTop]), [0, 0]);
  assert.equal(await page.locator(".ply").count(), 0);
  await clean();
});

test("a long staircase and a large board stay within reach on a phone, and six turtles in one row", async () => {
  const { page, clean } = await browser.newUser(server, { width: 390, height: 844, touch: true });
  const boxes = (/** @type {string} */ selector) =>
    page.$$eval(selector, (found) => found.map((one) => one.getBoundingClientRect().toJSON()));
  await create(page, { game: "staircase-nim", position: "4,2,3,1,2,3,4,1" });
  await myTurn(page);
  const steps = await boxes(".stepper button");
  assert.ok(steps.length >= 14 && steps.every(({ width, right }) => width >= 24 && right <= 390));
  await create(page, { game: "wythoff-nim", position: "20,13" });
  await myTurn(page);
  const squares = await boxes(".stage .lit");
  assert.equal(squares.length, 46);
  assert.ok(
    squares.every(({ width, height }) => width >= 21 && height >= 21),
    JSON.stringify(squares[0]),
  );
  await page.setViewportSize({ width: 1440, height: 900 });
  await create(page, { game: "turning-turtles", position: "HTHHTH" });
  await myTurn(page);
  assert.equal(new Set((await boxes(".turtle")).map(({ top }) => top)).size, 1);
  await clean();
});
