// The time for a first move, before which a player's clock does not run. If it passes, the match ends and nobody loses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { EACH_30_S, create, myTurn } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** How long somebody reads the rules. */
const READS_MS = 32_000;
/** The time for a first move, with some for a busy machine. */
const ENDS_MS = 70_000;
const SIZES = [
  { width: 390, height: 844 },
  { width: 1366, height: 768 },
];

test("reading the rules for longer than a move costs nothing, and nobody loses without a first move", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server, { ...SIZES[0], touch: true, rules: true });
  const cy = await browser.newUser(server, { ...SIZES[1], locale: "de-DE" });
  const options = { game: "nim", position: "3,4,5", opponent: "friend", first: "other", time: EACH_30_S };
  const path = await create(ada.page, options);
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await bo.page.waitForSelector(".how-sheet");
  await cy.page.goto(path);
  const elsewhere = await bo.context.newPage();
  await elsewhere.goto("/learn");

  // The friend learns the time, and so do the opponent and a spectator.
  const told = { ada, bo, cy };
  const words = {
    ada: /^.+ has [01]:\d\d for the first move, or the match ends without a winner$/,
    bo: /^Your first move within [01]:\d\d, or the match ends without a winner$/,
    cy: /^.+ hat [01]:\d\d für den ersten Zug, sonst endet die Partie ohne Sieger$/,
  };
  for (const [name, { page }] of Object.entries(told)) {
    await page.waitForSelector(".first-move");
    const text = (await page.textContent(".first-move")) ?? "";
    assert.match(text, words[/** @type {keyof typeof words} */ (name)]);
    await picture(page, `first-move-${name}`);
  }

  await bo.page.waitForTimeout(READS_MS);
  await bo.page.waitForSelector(".how-sheet");
  for (const { page } of [ada, bo, cy]) {
    assert.deepEqual(await page.locator(".clock:visible").allTextContents(), ["0:30", "0:30"]);
    assert.equal(await page.locator(".clock.runs, .notice.is-closed, .notice.is-over").count(), 0);
  }
  await myTurn(bo.page);
  await elsewhere.waitForSelector(".live-line:has-text('Your move against')");

  // The sheet closes while there is time, so that the instruments can be used, and the end is seen.
  await bo.page.waitForSelector(".how-sheet", { state: "detached" });
  await myTurn(bo.page);
  const box = await bo.page.locator(".first-move").boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= SIZES[0].width, `the time is at ${JSON.stringify(box)}`);
  await picture(bo.page, "first-move-phone");
  for (const { page } of [ada, bo]) {
    await page.waitForSelector(".notice.is-closed", { timeout: ENDS_MS });
    const ended = "The match ended before both players had moved. Nobody has lost.";
    assert.equal(await page.textContent(".notice.is-closed h2"), ended);
    assert.ok((await page.textContent("#polite"))?.includes(ended));
  }
  await cy.page.waitForSelector(".notice.is-closed:has-text('Verloren hat niemand.')");
  assert.equal(await bo.page.locator(".you-lost, .seat.lost").count(), 0);
  for (const user of [ada, bo, cy]) await user.clean();
});

test("a player who looks elsewhere sees that a match has ended without a first move", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend", time: EACH_30_S });
  await bo.page.goto(path);
  await ada.page.goto("/learn");
  await bo.page.click(".take-seat");
  await ada.page.waitForSelector(".live-line:has-text('Your move against')");
  await bo.page.waitForSelector(".notice.is-closed", { timeout: ENDS_MS });
  await ada.page.waitForSelector(".live-line.calls:has-text('No winner against')");
  assert.ok(await ada.page.evaluate(() => document.title.startsWith("●")));
  await ada.page.goto("/");
  const entry = ada.page.locator(`.own .entry.calls[href="${path}"]`);
  await entry.filter({ hasText: "before both players had moved" }).waitFor();
  await ada.page.click(".live-line");
  await ada.page.waitForSelector(".notice.is-closed");
  await ada.page.waitForFunction(() => !document.querySelector(".live-line") && !document.title.startsWith("●"));
  for (const user of [ada, bo]) await user.clean();
});
