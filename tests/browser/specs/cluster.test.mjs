// Pages at a balancer before three servers: every one of them and the primary is killed during a match.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "../harness/browser.mjs";
import { startCluster } from "../harness/cluster.mjs";
import { click, create, myTurn, over, sees } from "../harness/play.mjs";

/** Errors that Chromium logs for failed connections; in this test connections fail on purpose. */
const FAILING = /WebSocket connection to|Failed to load resource/;

/** @type {Awaited<ReturnType<typeof startCluster>>} */
let cluster;
/** @type {Awaited<ReturnType<typeof open>>} */
let browser;

before(async () => {
  cluster = await startCluster();
  browser = await open();
});
after(async () => {
  await browser?.close();
  await cluster?.stop();
});

test("a match goes on while each server and the primary are killed", async () => {
  const [ada, bo, eve] = await Promise.all([1, 2, 3].map(() => browser.newUser(cluster, { allow: FAILING })));
  const path = await create(ada.page, { game: "nim", position: "1,1,1,1,1", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await eve.page.goto(path);
  const players = [ada.page, bo.page];
  const failures = [
    ...cluster.servers.map((number) => () => cluster.kill(number)),
    () => cluster.failOver(),
    () => undefined,
  ];
  for (const [ply, fail] of failures.entries()) {
    await fail();
    const mover = players[ply % 2];
    await myTurn(mover);
    await click(mover, `take 1 from ${ply + 1}`);
    for (const { page } of [ada, bo, eve]) await sees(page, ply + 1);
  }
  for (const { page } of [ada, bo, eve]) await over(page);
  const moves = await Promise.all(
    [ada, bo, eve].map(({ page }) => page.$$eval(".ply-move", (moves) => moves.map((move) => move.title))),
  );
  assert.deepEqual(
    moves[0],
    failures.map((_, ply) => `take 1 from ${ply + 1}`),
  );
  assert.deepEqual(moves[1], moves[0]);
  assert.deepEqual(moves[2], moves[0]);
  for (const user of [ada, bo, eve]) await user.clean();
});
