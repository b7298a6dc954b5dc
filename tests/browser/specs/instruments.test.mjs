// The instruments of the ship tell the rules: lower boards beside the stack, absolute amounts, and gauges that turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, myTurn, sees } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** @param {import("playwright-core").Page} page */
const chosen = (page, move) => page.waitForFunction((move) => document.querySelector(".bar b")?.title === move, move);

test("moves to lower boards stand beside the boards and cover none of them", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { game: "rooks", position: "g6@5" });
  await myTurn(page);
  const left = await page.evaluate(() =>
    Math.min(...[...document.querySelectorAll(".plate")].map((plate) => plate.getBoundingClientRect().left)),
  );
  for (const board of [1, 2, 3, 4]) {
    const stop = await page.locator(`[data-move="ship g6@${board}"] .lit-square`).boundingBox();
    assert.ok(stop.x + stop.width < left, `board ${board}: ${stop.x + stop.width} < ${left}`);
  }
  await page.click('[data-move="ship g6@2"]');
  await chosen(page, "ship g6@2");
  assert.doesNotMatch((await page.textContent(".stack")) ?? "", /HOME/);
  await clean();
});

test("both tanks have one scale, and amounts are read aloud", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { position: "a1@1 time=7 nuggets=0 fib=15 fob=1" });
  await myTurn(page);
  const heights = await page.$$eval(".tank .surface", (surfaces) =>
    surfaces.map((surface) => Number(surface.getAttribute("cy"))),
  );
  assert.ok(heights[1] - heights[0] > 80, `15 gallons stand far above 1: ${heights}`);
  assert.deepEqual(
    await page.$$eval(".tank, .dial", (gauges) => gauges.map((gauge) => gauge.getAttribute("aria-label"))),
    ["Time: 7", "fib: 15", "fob: 1"],
  );
  await clean();
});

test("the dial is turned and a tank is pulled down by the pointer", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { position: "a1@1 time=16 nuggets=0 fib=12 fob=3" });
  await myTurn(page);
  const dial = await page.locator(".dial").boundingBox();
  const [x, y, radius] = [dial.x + dial.width / 2, dial.y + dial.height / 2, dial.width * 0.35];
  await page.mouse.move(x - radius, y);
  await page.mouse.down();
  await page.mouse.move(x + radius * 0.7, y + radius * 0.7, { steps: 6 });
  await page.mouse.move(x + radius, y, { steps: 6 });
  await page.mouse.up();
  await chosen(page, "time -12");
  assert.equal(await page.locator(".ply").count(), 0);
  await page.keyboard.press("Escape");

  const tank = await page.locator(".tank").first().boundingBox();
  await page.mouse.move(tank.x + tank.width / 2, tank.y + tank.height * 0.3);
  await page.mouse.down();
  await page.mouse.move(tank.x + tank.width / 2, tank.y + tank.height * 0.98, { steps: 5 });
  await page.mouse.up();
  await chosen(page, "eject fib");
  await page.keyboard.press("Escape");
  await page.mouse.move(tank.x + tank.width / 2, tank.y + tank.height * 0.3);
  await page.mouse.down();
  await page.mouse.move(tank.x + tank.width / 2, tank.y + tank.height * 0.4, { steps: 5 });
  await page.mouse.up();
  await chosen(page, "spend fib");
  await clean();
});

test("the hand of the dial never covers its digits", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { game: "poker-nim", position: "time=16 nuggets=15" });
  await myTurn(page);
  const covered = await page.evaluate(() => {
    const [hand, number] = [".dial-hand", ".dial-number"].map((name) =>
      document.querySelector(name).getBoundingClientRect(),
    );
    return hand.left < number.right && number.left < hand.right && hand.top < number.bottom && number.top < hand.bottom;
  });
  assert.equal(covered, false);
  await clean();
});

test("a match for learning marks the winning moves of the dial and of the tanks", async () => {
  const { page, clean } = await browser.newUser(server);
  const shown = async (/** @type {string} */ position, /** @type {string} */ mark) => {
    await create(page, { position, learning: true });
    await myTurn(page);
    await page.click(".marks");
    await page.waitForSelector(mark, { state: "attached" });
  };
  // The only winning move lets 13 of the time pass: 2 of 20 are left on the dial, a tenth of a turn.
  await shown("g6@3 time=15 nuggets=5 fib=12 fob=9", ".dial-winning");
  const marks = await page.$$eval(".dial-winning", (marks) => marks.map((mark) => mark.getAttribute("transform")));
  assert.deepEqual(marks, ["rotate(36)"]);
  await shown("a1@1 time=0 nuggets=0 fib=2 fob=1", ".instrument .winning");
  const tanks = await page.$$eval(".instrument .winning", (marks) => marks.map((mark) => mark.dataset.move));
  assert.deepEqual(tanks, ["spend fib"]);
  await picture(page, "learning-tanks");
  await clean();
});

test("the last move is marked on the boards, the dial and the tanks", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { position: "c3@3 time=6 nuggets=1 fib=9 fob=4", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  const drawn = (/** @type {string} */ selector) =>
    bo.page.$$eval(selector, (marks) => marks.some((mark) => (mark.getAttribute("d") ?? "M0 0") !== "M0 0"));
  const moves = [
    ["ship a3@3", ".trail"],
    ["time -1", ".dial-last"],
    ["spend fib", ".fib .level-last"],
    ["eject fob", ".fob .level-last"],
  ];
  for (const [index, [move, mark]] of moves.entries()) {
    const mover = index % 2 ? bo : ada;
    await myTurn(mover.page);
    await click(mover.page, move);
    await sees(bo.page, index + 1);
    for (const [, other] of moves) assert.equal(await drawn(other), other === mark, `${move}: ${other}`);
  }
  await picture(bo.page, "last-move");
  for (const user of [ada, bo]) await user.clean();
});
