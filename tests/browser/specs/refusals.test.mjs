// Refusals of what a player asks for besides moves: each is shown in its own words where the player looks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, create, myTurn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** Requests that are refused on a page, with the reasons. */
const REFUSED = {
  withdraw: ["not-open", /only while the other seat is free/],
  choose: ["not-your-choice", /Your opponent chooses/],
  "offer-takeback": ["too-many-takebacks", /too often/],
  resign: ["busy", /busy/],
  "answer-takeback": ["no-takeback-offered", /has not asked/],
  "offer-rematch": ["too-many-matches", /Many matches of yours/],
};

/**
 * Refuses these requests of a page in the server's place, because no test can bring each of the reasons about quickly.
 * @param {import("playwright-core").Page} page
 */
function refuse(page) {
  return page.routeWebSocket(/\/ws$/, (route) => {
    const upstream = route.connectToServer();
    route.onMessage((text) => {
      const { type, id } = JSON.parse(String(text));
      const [reason] = REFUSED[type] ?? [];
      if (!reason) return upstream.send(text);
      route.send(JSON.stringify({ type: "refused", id, reason, message: "", retry: false }));
    });
  });
}

test("whatever is refused in a match says why, and can be tried again", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const [page, friend] = [ada.page, bo.page];
  await refuse(page);
  const says = (/** @type {keyof typeof REFUSED} */ type, /** @type {string} */ place) =>
    page.waitForFunction(
      ([place, words]) => new RegExp(words).test(document.querySelector(place)?.textContent ?? ""),
      [place, REFUSED[type][1].source],
    );
  const path = await create(page, { game: "nim", position: "3,4,5", opponent: "friend", first: "other" });
  await page.click(".withdraw");
  await says("withdraw", ".notice .fault");
  await friend.goto(path);
  await friend.click(".take-seat");
  await myTurn(friend);
  assert.equal(await page.locator(".notice .fault:not(:empty)").count(), 0, "it belongs to what was before");
  await click(friend, "take 1 from 1");
  await myTurn(page);
  await friend.click(".takeback:not(:disabled)");
  await page.click(".yes");
  await says("answer-takeback", ".bar.fault");
  assert.ok(await page.isVisible(".yes"));
  assert.match((await page.textContent("#urgent")) ?? "", /has not asked/);
  await click(page, "take 1 from 2");
  await page.click(".takeback:not(:disabled)");
  await says("offer-takeback", ".bar.fault");
  await page.click(".resign");
  await page.click(".resign");
  await says("resign", ".bar.fault");
  await friend.click(".resign");
  await friend.click(".resign");
  await over(page);
  await page.click(".rematch");
  await says("offer-rematch", ".notice .fault");
  assert.ok(await page.isEnabled(".rematch"));

  const choosing = await create(friend, { game: "nim", position: "", opponent: "friend", first: "choose" });
  await page.goto(choosing);
  await page.click(".take-seat");
  await page.click(".move-first");
  await says("choose", ".notice .fault");
  for (const user of [ada, bo]) await user.clean();
});

for (const [reason, words] of /** @type {[string, RegExp][]} */ ([
  ["too-fast", /Too many requests\. Your move is kept and sent again\./],
  ["unavailable", /cannot store moves right now\. Yours is kept and sent again\./],
])) {
  test(`a move that is put off as ${reason} is kept, and played after the server's pause`, async () => {
    const { page, clean } = await browser.newUser(server);
    const pause = 1_500;
    /** @type {number[]} */
    const sent = [];
    await page.routeWebSocket(/\/ws$/, (route) => {
      const upstream = route.connectToServer();
      route.onMessage((text) => {
        const { type, id } = JSON.parse(String(text));
        if (type === "play") sent.push(performance.now());
        if (type !== "play" || sent.length > 1) return upstream.send(text);
        const after = reason === "too-fast" ? { retry_after_ms: pause } : {};
        route.send(JSON.stringify({ type: "refused", id, reason, message: "", retry: true, ...after }));
      });
    });
    await create(page, { game: "nim", position: "3,4,5" });
    await myTurn(page);
    await page.click('.stage [data-move="take 1 from 1"]');
    await page.waitForSelector(".bar.chosen .quiet:not(:empty)");
    await page.click(".bar .primary");
    await page.waitForFunction(
      (source) => new RegExp(source).test(document.querySelector(".bar-text")?.textContent ?? ""),
      words.source,
      { polling: 30 },
    );
    assert.match((await page.textContent("#polite")) ?? "", words);
    await page.waitForSelector(".ply");
    assert.equal(sent.length, 2);
    if (reason === "too-fast") assert.ok(sent[1] - sent[0] >= pause, `sent again after ${sent[1] - sent[0]} ms`);
    await clean();
  });
}
