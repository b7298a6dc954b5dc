// Why a position is won or lost, as lamps; winning moves marked on the pictures; and the help of a match for learning.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { picture } from "../harness/browser.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { english } from "../harness/languages.mjs";
import { create, myTurn, wide } from "../harness/play.mjs";

/** The rows of the lamps, each with its name, its number and the state of each lamp in words. */
const rows = (/** @type {import("playwright-core").Page} */ page) =>
  page.$$eval(".lamp-panel tbody tr", (rows) =>
    rows.map((row) => [...row.children].map((cell) => (cell.textContent ?? "").trim()).join(" | ")),
  );

test("lamps show the parts, the move that wins, and what is worth other than its size", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { position: "g6@3 time=14 nuggets=5 fib=11 fob=9", learning: true });
  await myTurn(page);
  await page.click(".why");
  await page.waitForSelector(".lamp-panel");
  assert.deepEqual(await rows(page), [
    "ship ← | 6 | dark | lit | lit | dark",
    "ship ↓ | 5 | dark | lit | dark | lit",
    "lift | 2 | dark | dark | lit | dark",
    `time | 14 1${" | lit, to be switched off".repeat(3)} | dark, to be switched on`,
    "fib 11 (odd) | 1 | dark | dark | dark | lit",
    "fob 9 (odd) | 1 | dark | dark | dark | lit",
  ]);
  const feet = await page.$$eval(".lamp-panel tfoot td", (cells) => cells.map(({ textContent }) => textContent));
  assert.deepEqual(feet, ["alone", "alone", "alone", "alone"]);
  assert.match((await page.textContent(".lamps")) ?? "", /Let 13 pass: time: switch off 8, 4, and 2, switch on 1\./);
  assert.deepEqual(await violations(page), []);
  await clean();
});

test("every game explains itself with a picture and without symbols, on a phone in German", async () => {
  const phone = { width: 360, height: 740, touch: true, locale: "de-DE", scheme: "light" };
  const { page, clean } = await browser.newUser(server, phone);
  for (const [game, position, shown, words] of /** @type {const} */ ([
    ["take-fibonacci", "20,5", ".lamp-panel", /20 Münzen von Haufen 1 sind 0 wert/],
    ["fibonacci-nim", "coins=10", ".fib-parts", /kleinste Teil ist 2/],
    ["kayles", "xxxxx.xxxxxx.xxx.xx", ".pin-groups", /Gruppe 1 geht von 5 auf 1\+3, der Wert von 4 auf 2: 4 aus, 2 an/],
    ["green-hackenbush", "0-1,1-2,2-3,3-1,2-4", ".contractions", /Bei Ecke 1: 3 Kanten in Kreisen/],
    ["sum", "nim 3,4 + kayles xxx", ".lamp-panel", /1 · Nim/],
    ["ryuo-nim-pass", "5,7 p=3 pass=yes", ".mex-boxes", /erste leere Fach ist 12/],
    ["wythoff-nim", "3,6", ".verdict", /kalte Paar 3, 5/],
  ])) {
    await create(page, { game, position, learning: true });
    await myTurn(page);
    await page.tap(".why");
    await page.waitForSelector(`.analysis ${shown}`);
    assert.match((await page.textContent(".analysis-body")) ?? "", words, game);
    assert.deepEqual(await english(page), [], game);
    assert.deepEqual(await violations(page), [], game);
    assert.ok((await wide(page)) <= 0, game);
    if (game === "sum") await picture(page, "lamps-phone");
  }
  await clean();
});

test("one switch marks winning and losing moves on every instrument, also for those who hear them", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { position: "a1@1 time=3 nuggets=0 fib=2 fob=1", learning: true });
  await myTurn(page);
  assert.equal(await page.locator(".stage :is(.winning, .losing)").count(), 0);
  await page.focus(".marks");
  await page.keyboard.press("Space");
  await page.waitForSelector('.marks[aria-checked="true"]');
  // The time is worth 3, the tanks 2 and 1: no move wins, so that all are grey.
  await page.waitForSelector(".tank-part .losing");
  assert.equal(await page.locator(".stage .winning").count(), 0);
  assert.equal(await page.getAttribute('[data-move="spend fib"]', "aria-label"), "Spend 1 Fib, loses");
  await create(page, { game: "wythoff-nim", position: "3,6", learning: true });
  await myTurn(page);
  await page.click(".marks");
  await page.waitForSelector(".lit.winning");
  assert.equal(await page.getAttribute(".lit.winning", "aria-label"), "Take 1 from heap 2, wins");
  const golden = await page.locator(".cold-pairs circle").count();
  assert.equal(golden, 4, "0,0; 1,2; 2,1; 3,5 on a board of 5 by 7 squares");
  assert.deepEqual(await violations(page), []);
  await clean();
});

test("a hint names the part and then the move, and a try is refuted and taken back", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { game: "nim", position: "3,4,5", learning: true });
  await myTurn(page);
  const bar = (/** @type {string} */ words) =>
    page.waitForFunction((words) => document.querySelector(".bar-text")?.textContent?.includes(words), words);
  await page.click(".hint");
  await bar("A winning move is here: heap 1.");
  await page.click(".hint");
  await bar("What wins: taking 2 from heap 1.");
  await page.fill(".typed input", "take 1 from 2");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".bar.chosen");
  await page.click(".try-move");
  await bar("Take 1 from heap 2? Then taking");
  // Both moves can be looked at as long as one wants.
  await page.waitForSelector(".take-back:focus");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".bar.chosen .primary:visible");
  await bar("Take 1 from heap 2? Then taking");
  assert.equal(await page.locator(".ply").count(), 0);
  assert.match((await page.textContent(".position code:not(.hidden)")) ?? "", /^3,4,5$/);
  assert.match((await page.textContent(".head-notes")) ?? "", /for learning/);
  await clean();
});
