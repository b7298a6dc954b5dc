// Two people: names and colours, calls, a rematch and the way back, declined takebacks, and races for a seat.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, my_turn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

test("two named friends play from the link to the rematch, and back to the first match", async () => {
  const ada = await browser.new_user(server);
  const bo = await browser.new_user(server);
  await ada.page.goto("/");
  await ada.page.waitForSelector(".connection-state.online");
  await ada.page.click(".play-friend");
  await ada.page.fill("#ask-name", "Ada");
  await ada.page.click(".ask .primary");
  await ada.page.waitForSelector(".link");
  const first = new URL(ada.page.url()).pathname;
  await bo.page.goto(first);
  await bo.page.fill("#seat-name", "Bo");
  await bo.page.click(".take-seat");
  for (const { page } of [ada, bo]) {
    await page.waitForFunction(() =>
      ["Ada", "Bo"].every((name) => document.querySelector(".players")?.textContent?.includes(name)),
    );
  }
  const mover = (await ada.page.locator(".seat.on-turn:has-text('Ada')").count()) ? ada : bo;
  const waiter = mover === ada ? bo : ada;
  await my_turn(mover.page);
  const move = await mover.page.locator(".stage [data-move]").first().getAttribute("data-move");
  await click(mover.page, move ?? "");
  await waiter.page.waitForFunction(() => /^● Your move/.test(document.title));
  assert.match((await waiter.page.getAttribute("link[rel=icon]", "href")) ?? "", /icon_call\.svg$/);
  assert.match((await mover.page.textContent(".ply-name")) ?? "", /^you/);
  assert.match((await waiter.page.textContent(".ply-name")) ?? "", mover === ada ? /^Ada/ : /^Bo/);

  await bo.page.click(".resign");
  await bo.page.click(".resign");
  for (const { page } of [ada, bo]) await over(page);
  assert.equal(await ada.page.textContent(".notice p"), "Bo resigned.");
  assert.equal(await bo.page.textContent(".notice p"), "You resigned. Ada won.");
  await ada.page.waitForFunction(() => /^You won · \w{6} · Fib Fob$/.test(document.title));
  await ada.page.waitForFunction(() =>
    /You won\. Bo resigned/.test(document.querySelector("#polite")?.textContent ?? ""),
  );

  await ada.page.click(".notice .primary");
  await bo.page.waitForSelector(".notice .offer:has-text('Ada offers a rematch')");
  await bo.page.click(".notice .primary");
  await bo.page.waitForURL((url) => url.pathname !== first);
  await ada.page.waitForSelector(".to-rematch");
  assert.equal(new URL(ada.page.url()).pathname, first);
  await ada.page.click(".to-rematch");
  const rematch = new URL(bo.page.url()).pathname;
  await ada.page.waitForURL((url) => url.pathname === rematch);
  await ada.page.click(".before");
  await ada.page.waitForURL((url) => url.pathname === first);
  await over(ada.page);
  await ada.page.goBack();
  await ada.page.waitForURL((url) => url.pathname === rematch);
  await ada.page.waitForSelector(".seat.on-turn");
  // The rematch took the place of the first match, so that one step further back is the start page.
  await bo.page.goBack();
  await bo.page.waitForURL((url) => url.pathname !== first && url.pathname !== rematch);
  for (const user of [ada, bo]) await user.clean();
});

test("players without a name have different friendly ones, the same on every page", async () => {
  const users = await Promise.all([1, 2, 3].map(() => browser.new_user(server)));
  const [ada, bo, cy] = users;
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await my_turn(ada.page);
  await cy.page.goto(path);
  await cy.page.waitForSelector(".seat.on-turn");
  const names = (/** @type {typeof ada} */ { page }) => page.locator(".seat-name").allTextContents();
  const seen = await names(ada);
  assert.notEqual(seen[0], seen[1]);
  assert.ok(
    seen.every((name) => /^\w+ \w+$/.test(name) && name !== "Co-pilot"),
    String(seen),
  );
  assert.deepEqual(await names(cy), seen);
  assert.deepEqual((await names(bo)).reverse(), seen);
  const colours = await ada.page.$$eval(".seat-name", (names) => names.map((name) => getComputedStyle(name).color));
  assert.notEqual(colours[0], colours[1]);
  for (const user of users) await user.clean();
});

test("a declined takeback is seen, and a bot that would decline is not asked", async () => {
  const ada = await browser.new_user(server);
  const bo = await browser.new_user(server);
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await my_turn(ada.page);
  await click(ada.page, "take 1 from 1");
  await ada.page.click(".takeback:not(:disabled)");
  await bo.page.click(".no");
  await ada.page.waitForSelector(".bar-text:has-text('declined the takeback')");
  await create(bo.page, { game: "nim", position: "3,4,5" });
  await my_turn(bo.page);
  assert.equal(await bo.page.locator(".takeback").count(), 0);
  assert.equal(await bo.page.locator(".resign").count(), 1);
  for (const user of [ada, bo]) await user.clean();
});

test("the loser of a race for a seat is told", async () => {
  const users = await Promise.all([1, 2, 3].map(() => browser.new_user(server)));
  const [ada, bo, cy] = users;
  // Cy's page learns what happens only when it is let.
  let hold = false;
  /** @type {(() => void)[]} */
  const held = [];
  await cy.page.routeWebSocket(/./, (socket) => {
    const beyond = socket.connectToServer();
    beyond.onMessage((message) => (hold ? held.push(() => socket.send(message)) : socket.send(message)));
  });
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  for (const { page } of [bo, cy]) {
    await page.goto(path);
    await page.waitForSelector(".take-seat");
  }
  hold = true;
  await bo.page.click(".take-seat");
  await my_turn(ada.page);
  await cy.page.click(".take-seat");
  hold = false;
  for (const release of held) release();
  await cy.page.waitForSelector(".notice:has-text('Someone else was faster')");
  for (const user of users) await user.clean();
});

test("codes are understood as people write them, and a double click makes one match", async () => {
  // The server answers another spelling with the page and the status 404.
  const ada = await browser.new_user(server, { allow: /404/ });
  await ada.page.goto("/");
  await ada.page.waitForSelector(".connection-state.online");
  await ada.page.evaluate(() => {
    const send = WebSocket.prototype.send;
    Object.assign(window, { made: 0 });
    WebSocket.prototype.send = function (text) {
      if (String(text).includes('"create"')) /** @type {any} */ (window).made++;
      return send.call(this, text);
    };
  });
  await ada.page.dblclick(".play-bot", { noWaitAfter: true });
  await ada.page.waitForSelector(".match");
  assert.equal(await ada.page.evaluate(() => /** @type {any} */ (window).made), 1);
  const path = new URL(ada.page.url()).pathname;
  for (const typed of [`${path}.`, path.toLowerCase()]) {
    await ada.page.goto(typed);
    await ada.page.waitForSelector(".match");
  }
  await ada.page.goto("/");
  await ada.page.fill(".code-field", ` ${path.slice(3).toLowerCase()}. `);
  await ada.page.press(".code-field", "Enter");
  await ada.page.waitForSelector(".match");
  await ada.clean();
});

test("the link can be sent with the device's own sheet, where there is one", async () => {
  const ada = await browser.new_user(server, { width: 390, height: 844 });
  await ada.page.addInitScript(() => {
    Object.defineProperty(navigator, "share", {
      value: (/** @type {object} */ shared) => Promise.resolve(Object.assign(window, { shared })),
    });
  });
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  await ada.page.click(".share-sheet");
  assert.equal(await ada.page.evaluate(() => /** @type {any} */ (window).shared.url), server.base + path);
  await ada.clean();
});

test("the link is shown as a QR code, which closes when the friend comes", async () => {
  const ada = await browser.new_user(server);
  const bo = await browser.new_user(server);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  await ada.page.click(".show-qr");
  const drawn = ada.page.locator(".qr img");
  await ada.page.waitForFunction(() => document.querySelector(".qr img")?.naturalWidth > 100);
  assert.equal(await drawn.getAttribute("alt"), `QR code of the link ${server.base}${path}`);
  const read = await fetch(`${server.base}${path}/qr.svg`);
  assert.equal(read.headers.get("content-type"), "image/svg+xml");
  assert.equal((await fetch(`${server.base}/m/nothing/qr.svg`)).status, 404);
  await picture(ada.page, "qr");
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await ada.page.waitForSelector(".qr", { state: "detached" });
  await my_turn(ada.page);
  for (const user of [ada, bo]) await user.clean();
});
