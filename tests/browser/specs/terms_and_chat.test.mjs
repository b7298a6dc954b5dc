// The terms of a match and its chat: the first move, clocks, takebacks, absence and messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, myTurn, over, sees } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/**
 * A new match in which Ada and Bo have taken their seats.
 * @param {Parameters<typeof create>[1]} options
 */
async function seated(options) {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server, { width: 390, height: 844, scheme: "light" });
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend", ...options });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  return { ada, bo, path };
}

/** @param {import("playwright-core").Page} page */
function bar(page) {
  return page.locator(".bar-text").textContent();
}

test("the joiner sees the random start and chooses who moves first", async () => {
  const { ada, bo } = await seated({ game: "fib-fob", position: "", first: "choose" });
  await bo.page.waitForSelector(".move-first");
  await ada.page.waitForSelector(".notice.is-choosing");
  assert.match(await ada.page.textContent(".notice h2"), /chooses who moves first/);
  await picture(bo.page, "choose-phone");
  await picture(ada.page, "choose-other");
  await bo.page.click(".move-second");
  await myTurn(ada.page);
  for (const user of [ada, bo]) await user.clean();
});

test("a timed match shows both clocks, and the running one counts down", async () => {
  const { ada, bo } = await seated({ time: 1 });
  await myTurn(ada.page);
  const theirs = ada.page.locator(".seat").nth(1).locator(".clock");
  assert.equal(await theirs.textContent(), "1:00");
  // No clock runs before its player's first move.
  await click(ada.page, "take 1 from 1");
  await myTurn(bo.page);
  assert.equal(await ada.page.locator(".clock.runs").count(), 0);
  await click(bo.page, "take 1 from 2");
  await ada.page.waitForFunction(() => document.querySelectorAll(".seat")[0].querySelector(".clock.runs"));
  await ada.page.waitForFunction(
    () => !["1:00", "0:60"].includes(document.querySelector(".seat .clock")?.textContent ?? ""),
  );
  assert.equal(await theirs.textContent(), "1:00");
  await picture(ada.page, "clocks");
  await click(ada.page, "take 1 from 3");
  await bo.page.waitForFunction(() => document.querySelector(".seat .clock.runs"));
  await ada.page.waitForFunction(() => document.querySelectorAll(".seat")[1].querySelector(".clock.runs"));
  await picture(bo.page, "clocks-phone");
  for (const user of [ada, bo]) await user.clean();
});

test("a move is taken back if the opponent agrees, and stays otherwise", async () => {
  const { ada, bo } = await seated({ first: "me" });
  await myTurn(ada.page);
  assert.ok(await ada.page.isDisabled(".takeback"), "there is nothing to take back yet");
  await click(ada.page, "take 1 from 1");
  for (const answer of [".no", ".yes"]) {
    await ada.page.click(".takeback:not(:disabled)");
    await bo.page.waitForSelector(answer);
    assert.match((await bar(bo.page)) ?? "", /take back the last move/);
    if (answer === ".yes") await picture(bo.page, "takeback-phone");
    await bo.page.click(answer);
    await sees(ada.page, answer === ".yes" ? 0 : 1);
    await bo.page.waitForSelector(answer, { state: "detached" });
  }
  await myTurn(ada.page);
  await sees(bo.page, 0);
  for (const user of [ada, bo]) await user.clean();
});

test("the win can be claimed after the opponent was away for the agreed time, and not before", async () => {
  const { ada, bo } = await seated({ first: "other", grace: 10_000 });
  await ada.page.waitForSelector(".seat:nth-child(2) .dot.here");
  await bo.page.goto("about:blank");
  await ada.page.waitForFunction(() => document.querySelector(".bar-text")?.textContent?.includes("is away"));
  assert.equal(await ada.page.locator(".claim").count(), 0);
  await ada.page.waitForSelector(".claim");
  await ada.page.waitForFunction(() => /claim the win/.test(document.querySelector("#urgent")?.textContent ?? ""));
  assert.equal(await ada.page.evaluate(() => document.documentElement.dataset.lastCall), "claim");
  await picture(ada.page, "claim");
  await ada.page.click(".claim");
  await over(ada.page);
  assert.match((await ada.page.textContent(".notice p")) ?? "", /was away too long/);
  for (const user of [ada, bo]) await user.clean();
});

test("players and spectators chat separately, free text needs a private match, and muted chat is hidden", async () => {
  const { ada, bo, path } = await seated({ hidden: true });
  const cy = await browser.newUser(server);
  await cy.page.goto(path);
  await bo.page.click(".tab.of-chat");
  await bo.page.selectOption(".chat select", "good-luck");
  await bo.page.click(".chat form:has(select) button");
  await ada.page.waitForFunction(() => document.querySelector(".chat-lines")?.textContent?.includes("Good luck"));
  await ada.page.fill(".chat input[maxlength]", "<b>thanks</b> & you?");
  await ada.page.press(".chat input[maxlength]", "Enter");
  await bo.page.waitForFunction(() =>
    document.querySelector(".chat-lines")?.textContent?.includes("<b>thanks</b> & you?"),
  );
  assert.doesNotMatch((await cy.page.textContent(".chat-lines")) ?? "", /luck|thanks/);
  await picture(ada.page, "talk");
  await bo.page.check(".chat input[type=checkbox]");
  await cy.page.selectOption(".chat select", "oh");
  await cy.page.click(".chat form:has(select) button");
  await cy.page.waitForFunction(() => document.querySelector(".chat-lines")?.textContent?.includes("Oh!"));
  await ada.page.fill(".chat input[maxlength]", "still there?");
  await ada.page.press(".chat input[maxlength]", "Enter");
  await ada.page.waitForFunction(() => document.querySelector(".chat-lines")?.textContent?.includes("still there?"));
  // The server remembers it for the next connection.
  await bo.page.reload();
  await bo.page.click(".tab.of-chat");
  await bo.page.waitForSelector(".chat input[type=checkbox]:checked");
  await bo.page.uncheck(".chat input[type=checkbox]");
  await ada.page.selectOption(".chat select", "bye");
  await ada.page.click(".chat form:has(select) button");
  await bo.page.waitForFunction(() => document.querySelector(".chat-lines")?.textContent?.includes("Goodbye"));
  assert.doesNotMatch((await bo.page.textContent(".chat-lines")) ?? "", /still there|Oh!/);
  for (const user of [ada, bo, cy]) await user.clean();
});

test("a match against a bot offers no chat to its player, and spectators keep theirs", async () => {
  const { page, clean } = await browser.newUser(server);
  const cy = await browser.newUser(server);
  const path = await create(page, { game: "nim", position: "3,4" });
  await myTurn(page);
  for (const part of [".chat", ".tab.of-chat"]) await page.waitForSelector(part, { state: "attached" });
  assert.equal(await page.locator(":is(.chat, .tab.of-chat):visible").count(), 0);
  await cy.page.goto(path);
  await cy.page.waitForSelector(".chat select");
  await clean();
  await cy.clean();
});
