// A match survives broken connections, killed and restored servers, reloads and second tabs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, create, myTurn, over, sees } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** Errors that Chromium logs for failed connections; in these tests connections fail on purpose. */
const FAILING = /WebSocket connection to|ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED/;

test("both pages continue without a reload after the server was killed during a match", async () => {
  const ada = await browser.newUser(server, { allow: FAILING });
  const bo = await browser.newUser(server, { allow: FAILING });
  const path = await create(ada.page, { game: "nim", position: "2,2", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await click(ada.page, "take 2 from 1");
  await sees(bo.page, 1);
  for (const { page } of [ada, bo]) await page.evaluate(() => Object.assign(window, { same: true }));

  await server.kill();
  await ada.page.waitForSelector("html.offline");
  // Chosen and confirmed while offline: sent after reconnecting, and counted once.
  await bo.page.click('.stage [data-move="take 1 from 2"]');
  await bo.page.click(".bar .primary");
  await server.restart();

  await sees(bo.page, 2);
  await sees(ada.page, 2);
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 2");
  for (const { page } of [ada, bo]) {
    await over(page);
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).same), true);
    assert.equal(await page.locator("html.offline").count(), 0);
  }
  for (const user of [ada, bo]) await user.clean();
});

for (const lost of ["the move", "its answer"]) {
  test(`a move counts once when ${lost} is lost and the page is reloaded`, async () => {
    const ada = await browser.newUser(server);
    await create(ada.page, { game: "nim", position: "4,2", level: "perfect" });
    await myTurn(ada.page);
    let losing = true;
    let sent = 0;
    await ada.page.routeWebSocket(/\/ws$/, (page) => {
      const upstream = page.connectToServer();
      let silent = false;
      page.onMessage((text) => {
        const play = JSON.parse(String(text)).type === "play";
        sent += Number(play);
        silent ||= play && losing;
        if (!(silent && lost === "the move")) upstream.send(text);
      });
      upstream.onMessage((text) => silent || page.send(text));
    });
    await ada.page.reload();
    await myTurn(ada.page);
    await ada.page.click('.stage [data-move="take 1 from 1"]');
    await ada.page.click(".bar .primary");
    await ada.page.waitForFunction(
      () => document.querySelector(".bar b") && /Sending/.test(document.querySelector(".bar")?.textContent ?? ""),
    );
    while (!sent) await new Promise((done) => setImmediate(done));
    losing = false;
    await ada.page.reload();
    // The bot's answer proves that the server received the move, and once.
    await sees(ada.page, 2);
    await myTurn(ada.page);
    assert.equal(sent, 2);
    assert.equal(await ada.page.getAttribute(".ply-move", "title"), "take 1 from 1");
    assert.equal(await ada.page.locator(".bar.fault").count(), 0);
    assert.equal(await ada.page.evaluate(() => sessionStorage.length), 0);
    await ada.clean();
  });
}

test("open pages continue from the older position after the server was restored from a backup", async () => {
  const ada = await browser.newUser(server, { allow: FAILING });
  const bo = await browser.newUser(server, { allow: FAILING });
  const path = await create(ada.page, { game: "nim", position: "3,3", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 1");
  await server.backup();
  await myTurn(bo.page);
  await click(bo.page, "take 1 from 2");
  await myTurn(ada.page);
  await click(ada.page, "take 2 from 1");
  for (const { page } of [ada, bo]) await sees(page, 3);

  await server.restore();
  for (const { page } of [ada, bo]) {
    await page.waitForSelector(".restored");
    assert.match((await page.textContent(".restored")) ?? "", /restored from a backup/);
    await sees(page, 1);
  }
  await myTurn(bo.page);
  await click(bo.page, "take 3 from 2");
  for (const { page } of [ada, bo]) await sees(page, 2);
  await myTurn(ada.page);
  assert.equal(await ada.page.textContent(".position code"), "2,0");
  await click(ada.page, "take 2 from 1");
  await over(bo.page);
  await ada.page.click(".restored button");
  assert.equal(await ada.page.locator(".restored").count(), 0);
  for (const user of [ada, bo]) await user.clean();
});

test("a page that reconnects after the restored match was played on shows the new history", async () => {
  const ada = await browser.newUser(server, { allow: FAILING });
  const bo = await browser.newUser(server, { allow: FAILING });
  const path = await create(ada.page, { game: "nim", position: "3,3", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await server.backup();
  await click(ada.page, "take 1 from 1");
  await sees(bo.page, 1);
  await bo.context.setOffline(true);
  await bo.page.waitForSelector("html.offline");

  await server.restore();
  await ada.page.waitForSelector(".restored");
  await myTurn(ada.page);
  await click(ada.page, "take 2 from 2");
  await ada.page.click(".resign");
  await ada.page.click(".resign");
  await over(ada.page);
  await bo.context.setOffline(false);
  await bo.page.waitForSelector(".restored");
  await over(bo.page);
  assert.equal(await bo.page.getAttribute(".ply-move", "title"), "take 2 from 2");
  for (const user of [ada, bo]) await user.clean();
});

test("a page that was offline catches up", async () => {
  const ada = await browser.newUser(server, { allow: FAILING });
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "1,1,1,1", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 1");
  await ada.context.setOffline(true);
  await ada.page.waitForSelector("html.offline");
  await myTurn(bo.page);
  await click(bo.page, "take 1 from 2");
  await ada.context.setOffline(false);
  await sees(ada.page, 2);
  await myTurn(ada.page);
  for (const user of [ada, bo]) await user.clean();
});

test("two tabs of one browser are the same guest and show the same match", async () => {
  const ada = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,3" });
  const second = await ada.context.newPage();
  await second.goto(path);
  await myTurn(second);
  await myTurn(ada.page);
  await click(second, "take 1 from 1");
  await myTurn(ada.page);
  await sees(ada.page, 2);
  await myTurn(second);
  const guest = (page) => page.evaluate(() => localStorage.getItem("fibfob.token"));
  assert.equal(await guest(second), await guest(ada.page));
  await ada.clean();
});
