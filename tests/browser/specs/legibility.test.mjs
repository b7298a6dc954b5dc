// The largest amounts that a match can start with stay legible in every game's picture, on a phone too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, myTurn } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** The smallest height of a number on the screen, in pixels. */
const LEGIBLE_PX = 10;
/** Positions with the largest amounts of each game, and the numbers that its picture shows. @type {any[]} */
const LARGEST = [
  ["nim", "50,49,48,47,46,45,44,43", [50, 49, 48, 47, 46, 45, 44, 43]],
  ["misere-nim", "50,49,3", [50, 49, 3]],
  ["take-fibonacci", "50,50,49", [50, 49]],
  ["fibonacci-nim", "coins=400", [400]],
  ["misere-fibonacci-nim", "coins=400", [400]],
  ["staircase-nim", "14,13,12", [14, 13, 12]],
  ["wythoff-nim", "200,199", [200, 199]],
  ["ryuo-nim", "50,49,48,47 p=9", [50, 49, 48, 47]],
  ["ryuo-nim-3d", "50,49,48", [50, 49, 48]],
  ["poker-nim", "time=99 nuggets=31", [99]],
  ["nim-muskateers", "fib=99 fob=98", [99, 98]],
  ["fib-fob", "h8@8 time=97 nuggets=31 fib=99 fob=98", [97, 99, 98]],
];

for (const [width, height] of [
  [1440, 900],
  [390, 844],
]) {
  test(`the largest amounts are legible at ${width}×${height}`, async () => {
    const { page, clean } = await browser.newUser(server, { width, height });
    for (const [game, position, amounts] of LARGEST) {
      await create(page, { game, position });
      await myTurn(page);
      const seen = await page.$$eval(".stage *", (all) =>
        all
          .filter((element) => !element.children.length && /^[\d.,]+$/.test(element.textContent?.trim() ?? ""))
          .map((element) => {
            const { left, right, height } = element.getBoundingClientRect();
            const inside = left >= 0 && right <= innerWidth;
            return { text: element.textContent?.trim() ?? "", height: inside ? height : 0 };
          }),
      );
      for (const amount of amounts) {
        const heights = seen.filter(({ text }) => text === String(amount)).map(({ height }) => Math.round(height));
        const found = heights.join(", ") || "not";
        assert.ok(Math.max(0, ...heights) >= LEGIBLE_PX, `${game}: ${amount} is ${found} px high`);
      }
    }
    await clean();
  });
}
