// The start page and an invitation, as one moment each: how much there is to read, how many actions lead to the first
// move, the terms beside the link, and the own invitation in a second tab.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { click, create, myTurn, online, wide } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

const PHONE = { width: 390, height: 844, touch: true };
const WORDS_MAX = 350;
const WINDOWS_MAX = 4;
/** From landing on the page to the first move, which is chosen and played. */
const ACTIONS_MAX = 3;

/** @typedef {import("playwright-core").Page} Page */

/** Returns a way to touch elements of a page, and to say how often that was done. @param {Page} page */
function counted(page) {
  let actions = 0;
  return {
    /** @param {string} selector */
    async tap(selector) {
      actions++;
      await page.locator(selector).first().tap();
    },
    actions: () => actions,
  };
}

/**
 * Chooses and plays a move beside the cards.
 * @param {Page} page
 * @param {ReturnType<typeof counted>} hand
 */
async function firstMove(page, hand) {
  await myTurn(page);
  await page.waitForSelector(".how-sheet");
  // The middle of a whole stop of the lift is the line to its board.
  await hand.tap(".stage [data-move] .lit-square");
  await page.waitForSelector(".bar.chosen .primary:not(:disabled)");
  await hand.tap(".bar .primary");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length > 0);
}

for (const locale of ["en-GB", "de-DE"]) {
  test(`the start page is short: ${locale}`, async () => {
    const { page, clean } = await browser.newUser(server, { ...PHONE, locale });
    await create(page, { game: "nim", position: "3,4,5" });
    await page.goto("/");
    await page.waitForSelector(".game");
    await page.waitForSelector(".own .entry");
    const windows = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
    const words = await page.evaluate(() => {
      // A number in a picture is no text to read.
      for (const drawn of document.querySelectorAll("main [aria-hidden=true]")) drawn.remove();
      return document.body.innerText.split(/\s+/).filter((word) => /\w/.test(word)).length;
    });
    console.log(`${locale}: ${words} words, ${windows.toFixed(1)} windows`);
    assert.ok(words <= WORDS_MAX, `${words} words`);
    assert.ok(windows <= WINDOWS_MAX, `${windows} windows`);
    assert.ok((await wide(page)) <= 0);
    await clean();
  });
}

test("a newcomer's first move against the bot takes three actions", async () => {
  const { page, clean } = await browser.newUser(server, { ...PHONE, rules: true });
  for (;;) {
    const hand = counted(page);
    await page.goto("/");
    await online(page);
    await hand.tap(".play-bot");
    // The first move is drawn by lot.
    await page.waitForSelector(".seat.on-turn");
    if (await page.locator(".ply").count()) {
      await page.evaluate(() => localStorage.removeItem("fibfob.known"));
      continue;
    }
    await firstMove(page, hand);
    assert.ok(hand.actions() <= ACTIONS_MAX, String(hand.actions()));
    break;
  }
  await clean();
});

test("an invitation is one sheet with link and terms, and the friend's first move takes three actions", async () => {
  const ada = await browser.newUser(server, { ...PHONE, rules: true });
  const bo = await browser.newUser(server, { ...PHONE, rules: true });
  await ada.page.goto("/");
  await online(ada.page);
  await ada.page.tap(".play-friend");
  await ada.page.waitForSelector(".inviting .how-moves");
  assert.match(await ada.page.inputValue("#invite-name"), /^\S+ \S+$/, "a name is filled in");
  assert.equal(await ada.page.textContent(".link"), ada.page.url());
  const first = ada.page.url();
  await ada.page.fill("#invite-name", "Ada");
  await ada.page.press("#invite-name", "Enter");
  await ada.page.focus("#invite-first");
  await ada.page.selectOption("#invite-first", "other");
  await ada.page.waitForURL((/** @type {URL} */ url) => url.href !== first);
  // Another match has taken its place; the list keeps the focus, and the way back is the start page.
  await ada.page.waitForFunction(() => document.activeElement?.id === "invite-first");
  assert.equal(await ada.page.inputValue("#invite-first"), "other");
  assert.equal(await ada.page.textContent(".link"), ada.page.url());
  assert.deepEqual(await violations(ada.page), []);
  await ada.page.tap(".share-link");
  assert.ok(await ada.page.isDisabled("#invite-time"), "a link that was sent keeps its terms");

  await bo.page.goto(first);
  await bo.page.waitForSelector(".notice.is-closed");
  const hand = counted(bo.page);
  await bo.page.goto(ada.page.url());
  await bo.page.waitForSelector(".notice h2:text-is('Ada wants to fly with you')");
  assert.equal(await bo.page.locator(".notice button:visible").count(), 1);
  assert.ok(await bo.page.isVisible(".stage .stack"));
  await hand.tap(".take-seat");
  await firstMove(bo.page, hand);
  assert.ok(hand.actions() <= ACTIONS_MAX, String(hand.actions()));
  for (const user of [ada, bo]) await user.clean();
});

test("a second tab says that the invitation is one's own, and plays both sides as a second guest", async () => {
  const ada = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  await ada.page.waitForSelector(".link");
  assert.equal(await ada.page.locator(".own-match").count(), 0);
  const second = await ada.context.newPage();
  await second.goto(path);
  await second.waitForSelector(".own-match:has-text('This is your own match')");
  assert.deepEqual(await violations(second), []);
  await second.click(".play-both");
  await second.click(".take-seat");
  await myTurn(ada.page);
  await click(ada.page, "take 3 from 1");
  await click(second, "take 4 from 2");
  // The second guest is this tab's alone, also after a reload.
  await second.reload();
  await second.waitForSelector(".notice.you-won");
  const token = (/** @type {Page} */ page) => page.evaluate(() => localStorage.getItem("fibfob.token"));
  assert.equal(await token(second), await token(ada.page));
  await ada.page.reload();
  await ada.page.waitForSelector(".notice.you-lost");
  await ada.clean();
});

test("a match against the bot is not in the lobby of strangers", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await ada.page.goto("/");
  await online(ada.page);
  await ada.page.click(".play-bot");
  await ada.page.waitForSelector(".match");
  const hidden = new URL(ada.page.url()).pathname;
  // A listed match that is newer shows that the lobby knows the time after the first one.
  const listed = await create(ada.page, { game: "nim", position: "3,4,5" });
  await bo.page.goto("/");
  await bo.page.waitForSelector(`.lobby .entry[href="${listed}"]`);
  assert.equal(await bo.page.locator(`.lobby .entry[href="${hidden}"]`).count(), 0);
  for (const user of [ada, bo]) await user.clean();
});

test("an address with nothing leads to the start page, which says so", async () => {
  const { page, clean } = await browser.newUser(server, { ...PHONE, allow: /404/ });
  const answer = await page.goto("/matches/K7M2QX");
  assert.equal(answer?.status(), 404);
  await page.waitForSelector(".lead:text-is('There is nothing at this address. This is the start page.')");
  await page.click("a.brand");
  await page.waitForSelector(".lead:not(:text-is('There is nothing at this address. This is the start page.'))");
  assert.equal(new URL(page.url()).pathname, "/");
  await clean();
});
