// What players see of the operator's hand: a match that is closed, a ban, and words to everybody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { picture } from "../harness/browser.mjs";
import { createWith, myTurn, online } from "../harness/play.mjs";
import { browser } from "../harness/fixture.mjs";
import { serve } from "../harness/server.mjs";

const WORDS = "closed for <b>maintenance</b>";

test("players are told of a match that the operator closes, and of a ban with its end", async () => {
  const own = await serve();
  const ada = await browser.newUser(own);
  const bo = await browser.newUser(own);
  const path = await createWith(ada.page, bo.page, { game: "nim", position: "3,4", first: "me" });
  await myTurn(ada.page);
  await own.operate("close", path.slice(-6), "--reason", WORDS);
  for (const { page } of [ada, bo]) {
    await page.waitForSelector(".notice.is-closed");
    const heading = await page.textContent(".notice h2");
    assert.equal(heading, "The operator of this server closed the match. Nobody has lost.");
    assert.equal(await page.textContent(".notice p"), WORDS);
  }
  assert.deepEqual(await violations(ada.page), []);
  await picture(ada.page, "stopped-light");
  await bo.page.reload();
  await bo.page.waitForSelector(".notice.is-closed");
  assert.equal(await bo.page.textContent(".notice p"), WORDS);

  await ada.page.goto("/");
  await online(ada.page);
  await own.operate("ban", "127.0.0.0/8", "--for", "7d", "--yes");
  for (const { page } of [ada, bo]) {
    await page.waitForSelector(".banned[open]");
    assert.match((await page.textContent(".banned")) ?? "", /keeps you.*Until /);
  }
  assert.deepEqual(await violations(ada.page), []);
  await picture(ada.page, "banned-light");
  // Who comes back is told again, and who waits for the end plays again.
  await ada.page.reload();
  await ada.page.waitForSelector(".banned[open]");
  await own.operate("unban", "127.0.0.0/8");
  await ada.page.reload();
  await online(ada.page);
  for (const user of [ada, bo]) await user.clean();
  await own.stop();
});

test("the start page tells of a match that was closed while no page was open, until it is opened", async () => {
  const own = await serve();
  const ada = await browser.newUser(own);
  const bo = await browser.newUser(own);
  const path = await createWith(ada.page, bo.page, { game: "nim", position: "3,4" });
  await ada.page.goto("about:blank");
  await own.operate("close", path.slice(-6), "--reason", WORDS);
  await bo.page.waitForSelector(".notice.is-closed");
  const entry = ada.page.locator(`.own .entry.calls[href="${path}"]`);
  for (const address of ["/", "/learn", "/"]) {
    await ada.page.goto(address);
    await ada.page.waitForSelector(".live-line:has-text('No winner against')");
  }
  await entry.filter({ hasText: "Nobody has lost." }).click();
  await ada.page.waitForSelector(".notice.is-closed");
  await ada.page.goto("/");
  await online(ada.page);
  await ada.page.click(".own summary");
  await ada.page.waitForSelector(`.own details .entry[href="${path}"]`);
  assert.equal(await ada.page.locator(".live-line, .own .entry.calls").count(), 0);
  for (const user of [ada, bo]) await user.clean();
  await own.stop();
});

test("everybody who is connected reads what the operator says, until it is closed", async () => {
  const own = await serve();
  const ada = await browser.newUser(own);
  await ada.page.goto("/");
  await online(ada.page);
  assert.equal(await ada.page.isVisible(".operator-note"), false);
  await own.operate("say", "restart at <b>eight</b>");
  await ada.page.waitForSelector(".operator-note:not(:empty)");
  assert.match((await ada.page.textContent(".operator-note")) ?? "", /^From the operator: restart at <b>eight<\/b>/);
  assert.deepEqual(await violations(ada.page), []);
  // It is still there in another view.
  await ada.page.click(".to-learn");
  assert.equal(await ada.page.isVisible(".operator-note"), true);
  await ada.page.click(".operator-note button");
  await ada.page.waitForSelector(".operator-note:empty", { state: "attached" });
  await ada.clean();
  await own.stop();
});
