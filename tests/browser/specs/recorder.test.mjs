// The flight recorder after a match: who could win, where the win was given away, and trying it again there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { picture } from "../harness/browser.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { english } from "../harness/languages.mjs";
import { click, createWith, myTurn, over } from "../harness/play.mjs";

/**
 * Ada has the win in 3,5 and gives it away at once; Bo gives it back, and she gives it away for good.
 * @param {import("playwright-core").Page} ada
 * @param {import("playwright-core").Page} bo
 */
async function lost(ada, bo) {
  await createWith(ada, bo, { game: "nim", position: "3,5" });
  for (const [page, move] of /** @type {const} */ ([
    [ada, "take 1 from 2"],
    [bo, "take 2 from 2"],
    [ada, "take 3 from 1"],
    [bo, "take 2 from 2"],
  ])) {
    await myTurn(page);
    await click(page, move);
  }
  await over(ada);
  await ada.waitForSelector(".try-there");
}

/** @type {(page: import("playwright-core").Page, words: RegExp) => Promise<unknown>} */
const says = (page, words) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector(".bar-text")?.textContent ?? ""),
    words.source,
  );

test("the bar tells who could win, and every turning point is found on the board, by keys", async () => {
  const [ada, bo, cy] = await Promise.all([1, 2, 3].map(() => browser.newUser(server)));
  const { page } = ada;
  await lost(page, bo.page);
  await cy.page.goto(page.url());
  // The start, and the four plies.
  const cells = await page.$$eval(".track-cell", (cells) => cells.map(({ classList }) => [...classList].slice(1, 3)));
  const seats = cells.map(([seat]) => seat);
  assert.deepEqual(seats, ["creator", "joiner", "creator", "joiner", "joiner"]);
  assert.equal(await page.locator(".track-cell.turns").count(), 3);
  const sentence = (/** @type {typeof page} */ one) => one.textContent(".recorder-verdict");
  assert.match(
    (await sentence(page)) ?? "",
    /^You had the win until move 3\. There you took 3 from heap 1; taking .* wins\.$/,
  );
  await bo.page.waitForFunction(() => document.querySelector(".recorder-verdict")?.textContent);
  assert.match((await sentence(bo.page)) ?? "", /^You gave the win away once; .* gave it back\.$/);
  await cy.page.waitForFunction(() => document.querySelector(".recorder-verdict")?.textContent);
  assert.match((await sentence(cy.page)) ?? "", / had the win until move 3\. .* wins\.$/);
  assert.deepEqual(await violations(page), []);

  await page.focus(".track");
  await page.keyboard.press("Home");
  await page.keyboard.press("PageUp");
  await page.waitForSelector('.track[aria-valuenow="1"]');
  const told = (await page.getAttribute(".track", "aria-valuetext")) ?? "";
  assert.match(
    told,
    /^After move 1: .* could win\. You gave the win away\. What would have kept it: taking 2 from heap 2\.$/,
  );
  await page.waitForSelector(".stage.past");

  await page.focus(".try-there");
  await page.keyboard.press("Enter");
  await says(page, /^Move 3: find a move that wins/);
  // Typed like any other move: a wrong one is answered, and taken back.
  const tries = async (/** @type {string} */ move) => {
    await page.waitForSelector(".typed input:not(:disabled)");
    await page.fill(".typed input", move);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".bar.chosen .quiet:not(:empty)");
    await page.keyboard.press("Enter");
  };
  await tries("take 3 from 1");
  await says(page, /Then taking 2 from heap 2 wins\./);
  await page.waitForSelector(".take-back:focus");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".stage.mine [data-move]", { state: "attached" });
  assert.equal(await page.textContent(".recorder-found"), "0 of 2 found");
  await tries("take 1 from 1");
  await says(page, /that wins\./);
  assert.equal(await page.textContent(".recorder-found"), "1 of 2 found");
  assert.deepEqual(await violations(page), []);
  await page.focus(".recorder .primary");
  await page.keyboard.press("Enter");
  await says(page, /^Move 1: find/);
  await tries("take 2 from 2");
  await page.waitForSelector(".recorder-found:text-is('2 of 2 found')");
  await picture(page, "recorder-tried");
  await page.click(".play-on");
  await page.waitForURL((url) => url.href !== cy.page.url());
  await page.waitForSelector(".seat .portrait");
  for (const user of [ada, bo, cy]) await user.clean();
});

test("on a phone in German a turning point is found by touch", async () => {
  const phone = { width: 360, height: 740, touch: true, locale: "de-DE", scheme: "light" };
  const [ada, bo] = [await browser.newUser(server, phone), await browser.newUser(server)];
  const { page } = ada;
  await lost(page, bo.page);
  await picture(page, "recorder-phone");
  assert.match((await page.textContent(".recorder-verdict")) ?? "", /^Bis Zug 3 hattest du den Gewinn\. /);
  assert.deepEqual(await english(page), []);
  assert.deepEqual(await violations(page), []);
  await page.tap(".try-there");
  await says(page, /^Zug 3: /);
  const coin = page.locator('.stage [data-move="take 1 from 1"] .coin-hit');
  await coin.tap();
  await says(page, /gewinnt/);
  await page.waitForSelector(".recorder-found:text-is('1 von 2 gefunden')");
  await picture(page, "recorder-phone-found");
  for (const user of [ada, bo]) await user.clean();
});
