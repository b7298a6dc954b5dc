// Two people: names and colours, calls, a rematch and the way back, declined takebacks, and races for a seat.
import assert from "node:assert/strict";
import { test } from "node:test";
import jsqr from "jsqr";
import { picture } from "../harness/browser.mjs";
import { click, create, createWith, myTurn, online, over, rename } from "../harness/play.mjs";
import { twoFriends } from "../harness/scenarios.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { serve } from "../harness/server.mjs";

test("two named friends play from the link to the rematch, and back to the first match", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await twoFriends(ada.page, bo.page);
  for (const user of [ada, bo]) await user.clean();
});

test("players without a name have different friendly ones, the same on every page", async () => {
  const users = await Promise.all([1, 2, 3].map(() => browser.newUser(server)));
  const [ada, bo, cy] = users;
  const path = await createWith(ada.page, bo.page, { game: "nim", position: "3,4" });
  await cy.page.goto(path);
  // Whoever joins is told of it after the one who invites may move.
  for (const { page } of users) await page.waitForSelector(".seat.on-turn");
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

test("two players with one name are told apart on every page", async () => {
  const users = await Promise.all([1, 2, 3].map(() => browser.newUser(server)));
  const [ada, bo, cy] = users;
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend", first: "me" });
  await rename(ada.page, "Ada");
  await bo.page.goto(path);
  await rename(bo.page, "ada");
  await bo.page.click(".take-seat");
  await cy.page.goto(path);
  for (const { page } of users) {
    await page.waitForSelector(".seat-name:text-is('Ada')");
    await page.waitForSelector(".seat-name:text-is('ada 2')");
  }
  await myTurn(ada.page);
  await bo.page.click(".resign");
  await bo.page.click(".resign");
  for (const { page } of users) await over(page);
  assert.equal(await cy.page.textContent(".notice p"), "ada 2 resigned. Ada won.");
  assert.equal(await ada.page.textContent(".notice p"), "ada 2 resigned.");
  for (const user of users) await user.clean();
});

test("a new name reaches the other player's page and the spectators while they play", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend", first: "me" });
  await bo.page.goto(path);
  await rename(bo.page, "Bo");
  await bo.page.click(".take-seat");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 1");
  await ada.page.waitForSelector(".seat-name:has-text('Bo')");
  await rename(bo.page, "Captain");
  await ada.page.waitForSelector(".seat-name:has-text('Captain')");
  await ada.page.waitForSelector(".ply-name:has-text('Captain'), .bar:has-text('Captain')");
  await myTurn(bo.page);
  await click(bo.page, "take 1 from 1");
  await myTurn(ada.page);
  assert.deepEqual(await ada.page.locator(".seat-name").last().textContent(), "Captain", "frames have the old name");
  await rename(bo.page, "Bo");
  await ada.page.waitForSelector(".seat-name:has-text('Bo')");
  assert.equal(await ada.page.locator("main :text('Captain')").count(), 0);
  for (const user of [ada, bo]) await user.clean();
});

test("a new name is every tab's, and that of a match which another tab makes", async () => {
  const { page, context, clean } = await browser.newUser(server);
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto("/");
    await online(tab);
  }
  await rename(page, "Ada");
  await other.waitForSelector("header .name:text-is('Ada')");
  await online(other);
  await other.click(".play-friend");
  await other.waitForSelector(".seat-name:text-is('Ada')");
  await clean();
});

test("a declined takeback is seen, and a bot that would decline is not asked", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await createWith(ada.page, bo.page, { game: "nim", position: "3,4,5" });
  await click(ada.page, "take 1 from 1");
  await ada.page.click(".takeback:not(:disabled)");
  await bo.page.click(".no");
  await ada.page.waitForSelector(".bar-text:has-text('declined the takeback')");
  await create(bo.page, { game: "nim", position: "3,4,5" });
  await myTurn(bo.page);
  assert.equal(await bo.page.locator(".takeback").count(), 0);
  assert.equal(await bo.page.locator(".resign").count(), 1);
  for (const user of [ada, bo]) await user.clean();
});

test("the loser of a race for a seat is told", async () => {
  const users = await Promise.all([1, 2, 3].map(() => browser.newUser(server)));
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
  await myTurn(ada.page);
  await cy.page.click(".take-seat");
  hold = false;
  for (const release of held) release();
  await cy.page.waitForSelector(".notice:has-text('Someone else was faster')");
  for (const user of users) await user.clean();
});

test("clicks make one match, also while its page is loading", async () => {
  const ada = await browser.newUser(server);
  /** @type {() => void} */
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await ada.page.route("**/views/match.js", async (route) => {
    await released;
    await route.continue();
  });
  await ada.page.goto("/");
  await online(ada.page);
  await ada.page.evaluate(() => {
    const send = WebSocket.prototype.send;
    Object.assign(window, { made: 0 });
    WebSocket.prototype.send = function (text) {
      if (String(text).includes('"create"')) /** @type {any} */ (window).made++;
      return send.call(this, text);
    };
  });
  await ada.page.dblclick(".play-bot");
  await ada.page.waitForURL("**/m/*");
  await ada.page.click(".play-bot");
  release();
  await ada.page.waitForSelector(".match");
  assert.equal(await ada.page.evaluate(() => /** @type {any} */ (window).made), 1);
  await ada.clean();
});

test("codes are understood as people write them", async () => {
  // The server answers another spelling with the page and the status 404.
  const ada = await browser.newUser(server, { allow: /404/ });
  const path = await create(ada.page, { game: "nim", position: "3,4" });
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
  const ada = await browser.newUser(server, { width: 390, height: 844 });
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

test("the link begins with the address that the operator has named", async () => {
  const named = await serve({ options: ["--public-url", "https://fib.example"] });
  const ada = await browser.newUser(named);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  assert.equal(await ada.page.textContent(".link"), `https://fib.example${path}`);
  await ada.clean();
  await named.stop();
});

test("the link is shown as a QR code, which closes when the friend comes", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend" });
  await ada.page.click(".show-qr");
  const drawn = ada.page.locator(".qr img");
  await ada.page.waitForFunction(() => document.querySelector(".qr img")?.naturalWidth > 100);
  assert.equal(await drawn.getAttribute("alt"), `QR code of the link ${server.base}${path}`);
  // What a camera sees, read by another program than the one that drew it.
  const [width, ...pixels] = await ada.page.evaluate(() => {
    const image = /** @type {HTMLImageElement} */ (document.querySelector(".qr img"));
    const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 300 });
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return [canvas.width, ...context.getImageData(0, 0, canvas.width, canvas.height).data];
  });
  assert.equal(jsqr.default(Uint8ClampedArray.from(pixels), width, width)?.data, server.base + path);
  const read = await fetch(`${server.base}${path}/qr.svg`);
  assert.equal(read.headers.get("content-type"), "image/svg+xml");
  assert.equal((await fetch(`${server.base}/m/nothing/qr.svg`)).status, 404);
  await picture(ada.page, "qr");
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await ada.page.waitForSelector(".qr", { state: "detached" });
  await myTurn(ada.page);
  for (const user of [ada, bo]) await user.clean();
});
