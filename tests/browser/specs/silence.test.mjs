// A network that dies without closing a connection: the page says so in time, and a move that was played counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hole } from "../harness/hole.mjs";
import { click, create, myTurn, sees } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** Within these times the page says that a move, or the opponent's next move, cannot arrive. */
const MOVE_MS = 6_000;
const OTHERWISE_MS = 12_000;
/** Errors that Chromium logs for connections that the test ends. */
const FAILING = /WebSocket connection to|ERR_/;

/** A timed match in which Ada plays through a network that can die, and both have made a move. */
async function played() {
  const network = await hole(server);
  const ada = await browser.newUser(network, { allow: FAILING });
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend", time: 2 });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 1");
  await myTurn(bo.page);
  await click(bo.page, "take 1 from 2");
  await myTurn(ada.page);
  return {
    ada,
    bo,
    network,
    async end() {
      for (const user of [ada, bo]) await user.clean();
      network.close();
    },
  };
}

/** @param {() => Promise<unknown>} seen */
async function timed(seen) {
  const begun = performance.now();
  await seen();
  return performance.now() - begun;
}

test("a move into a dead network is told in time, and counts once the network is back", async () => {
  const { ada, bo, network, end } = await played();
  await ada.page.click('.stage [data-move="take 1 from 3"]');
  await ada.page.waitForSelector(".bar.chosen .quiet:not(:empty)");
  network.set(true);
  const ms = await timed(async () => {
    await ada.page.click(".bar .primary");
    await ada.page.waitForSelector(".bar:has-text('Not sent yet: no connection.')");
  });
  console.log(`a dead network is told ${Math.round(ms)} ms after a move`);
  assert.ok(ms <= MOVE_MS, `${ms} ms`);
  network.set(false);
  for (const { page } of [ada, bo]) await sees(page, 3);
  await end();
});

test("a dead network is told in time while a clock runs, and the missed move comes", async () => {
  const { ada, bo, network, end } = await played();
  await click(ada.page, "take 1 from 3");
  await myTurn(bo.page);
  network.set(true);
  const ms = await timed(() => ada.page.waitForSelector(".offline-note:visible"));
  console.log(`a dead network is told after ${Math.round(ms)} ms of the opponent's time`);
  assert.ok(ms <= OTHERWISE_MS, `${ms} ms`);
  await click(bo.page, "take 1 from 2");
  network.set(false);
  await sees(ada.page, 4);
  await end();
});
