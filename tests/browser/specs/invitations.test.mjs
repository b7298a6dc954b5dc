// Many invitations of one tab: each can be opened, none keeps the tab from other matches, and a refusal shows its own
// words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, myTurn } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** More invitations than a connection may follow matches. */
const INVITATIONS = 10;

test("many invitations do not keep a tab from other matches, and the first of them can still be taken", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const theirs = await create(bo.page, { game: "nim", position: "3,4,5" });
  const { page } = ada;
  const paths = [await create(page, { game: "nim", position: "1,2", opponent: "friend", first: "other" })];
  await page.evaluate(() => (globalThis.sameTab = true));
  while (paths.length < INVITATIONS) {
    await page.click("a.brand");
    await page.click(".play-friend");
    await page.waitForSelector(".link");
    const path = new URL(page.url()).pathname;
    assert.ok(!paths.includes(path), "a new match each time");
    paths.push(path);
  }
  await page.click("a.brand");
  await page.fill(".code-field", theirs.slice(-6));
  await page.press(".code-field", "Enter");
  await page.waitForSelector(".seat.on-turn");
  await page.click("a.brand");
  await page.click(`.own .entry[href="${paths[0]}"]`);
  await page.waitForSelector(".link");
  assert.ok(await page.evaluate(() => globalThis.sameTab), "the tab was never loaded anew");

  await bo.page.goto(paths[0]);
  await bo.page.click(".take-seat");
  await myTurn(bo.page);
  await page.waitForSelector(".seat.on-turn");
  for (const user of [ada, bo]) await user.clean();
});

test("a match that cannot be opened says why", async () => {
  const ada = await browser.newUser(server);
  const { page } = ada;
  const path = await create(page, { game: "nim", position: "1,2" });
  // The answer of a server that is asked too much, which no test can bring about quickly.
  await page.routeWebSocket(/\/ws$/, (route) => {
    const upstream = route.connectToServer();
    upstream.onMessage((text) => {
      const message = JSON.parse(String(text));
      const refused = { type: "refused", id: message.id, reason: "too-many-spectators", message: "", retry: false };
      route.send(JSON.stringify(message.type === "accepted" && message.match ? refused : message));
    });
  });
  await page.goto(path);
  await page.waitForSelector(".nothing");
  assert.match((await page.textContent(".nothing")) ?? "", /could not be opened.*maximum number of spectators/);
  await page.goto("/m/ZZZZZZ");
  await page.waitForSelector(".nothing h1:has-text('not found')");
  await page.context().close();
});
