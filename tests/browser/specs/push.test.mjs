// Calls while no page is open: the wish in the settings, a push service of this test's own, and the worker.
import assert from "node:assert/strict";
import { createDecipheriv, createECDH, hkdfSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { browser } from "../harness/fixture.mjs";
import { create } from "../harness/play.mjs";
import { serve } from "../harness/server.mjs";

const AUTH = Buffer.from("sixteen secrets!");

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
let origin = "";
/** The calls that the push service has taken. @type {{ path?: string, body: Buffer }[]} */
const calls = [];
const service = createServer(async (request, answer) => {
  calls.push({ path: request.url, body: Buffer.concat(await request.toArray()) });
  answer.writeHead(201).end();
  service.emit("call");
});

before(async () => {
  await once(service.listen(0, "127.0.0.1"), "listening");
  origin = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (service.address()).port}`;
  server = await serve({ options: ["--push-service", origin] });
});
after(async () => {
  await server.stop();
  service.close();
});

/** Subscribes at the test's push service in place of the browser's own, which no test can reach. */
function subscribeHere({ endpoint, keys }) {
  const key = "subscribed";
  const unsubscribe = () => Promise.resolve(localStorage.removeItem(key));
  const subscription = { endpoint, unsubscribe, toJSON: () => ({ endpoint, keys }) };
  PushManager.prototype.getSubscription = () => Promise.resolve(localStorage.getItem(key) ? subscription : null);
  PushManager.prototype.subscribe = ({ userVisibleOnly, applicationServerKey }) => {
    localStorage.setItem(key, JSON.stringify({ userVisibleOnly, applicationServerKey }));
    return Promise.resolve(subscription);
  };
}

/** Reads a message as RFC 8291 describes it. @type {(body: Buffer, own: import("node:crypto").ECDH) => any} */
function read(body, own) {
  const [salt, theirs, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
  const derive = (salt, secret, purpose, length) =>
    Buffer.from(hkdfSync("sha256", secret, salt, Buffer.concat(purpose.map(Buffer.from)), length));
  const secret = derive(AUTH, own.computeSecret(theirs), ["WebPush: info\0", own.getPublicKey(), theirs], 32);
  const key = derive(salt, secret, ["Content-Encoding: aes128gcm\0"], 16);
  const nonce = derive(salt, secret, ["Content-Encoding: nonce\0"], 12);
  const cipher = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  assert.equal(text.at(-1), 2);
  return JSON.parse(text.subarray(0, -1).toString());
}

/** @param {import("playwright-core").Page} page */
const subscribed = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("subscribed") ?? "null"));
/** @param {import("playwright-core").Page} page */
const wish = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("fibfob.settings") ?? "{}").called);

test("a player whose page is closed is called by the push service and notified by the worker", async () => {
  // A document without a page has no icon.
  const ada = await browser.newUser(server, { locale: "de-DE", allow: /404/ });
  const bo = await browser.newUser(server);
  const own = createECDH("prime256v1");
  const keys = { p256dh: own.generateKeys("base64url"), auth: AUTH.toString("base64url") };
  await ada.context.grantPermissions(["notifications"]);
  await ada.page.addInitScript(subscribeHere, { endpoint: `${origin}/ada`, keys });
  await ada.page.goto("/");
  await ada.page.click(".top-side .icon");
  await ada.page.check('input[name="call-me"]');
  await ada.page.waitForFunction(() => JSON.parse(localStorage.getItem("fibfob.settings") ?? "{}").called);
  assert.deepEqual(await violations(ada.page), []);
  const { userVisibleOnly, applicationServerKey } = await subscribed(ada.page);
  assert.ok(userVisibleOnly && Buffer.from(applicationServerKey, "base64url").length === 65);
  await ada.page.click(".settings > button");
  const first = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend", first: "me" });

  // A page of the same origin that has no connection.
  await ada.page.goto("/api/games");
  const called = once(service, "call");
  await bo.page.goto(first);
  await bo.page.click(".take-seat");
  await called;
  const { text, path } = read(calls[0].body, own);
  assert.match(text, new RegExp(`^Partie ${first.slice(3)}: .+ spielt mit\\. Du bist am Zug\\.$`));
  assert.deepEqual([calls[0].path, path], ["/ada", first]);

  const devtools = await ada.context.newCDPSession(ada.page);
  const registered = new Promise((done) =>
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [one] }) => one && done(one)),
  );
  await devtools.send("ServiceWorker.enable");
  const { registrationId } = /** @type {any} */ (await registered);
  const data = JSON.stringify({ text, path });
  await devtools.send("ServiceWorker.deliverPushMessage", { origin: server.base, registrationId, data });
  await ada.page.waitForFunction(async (text) => {
    const [worker] = await navigator.serviceWorker.getRegistrations();
    return (await worker.getNotifications()).some(({ body, data, tag }) => body === text && data === tag);
  }, text);

  // The wish ends with the switch.
  await ada.page.goto("/");
  await ada.page.click(".top-side .icon");
  await ada.page.uncheck('input[name="call-me"]');
  await ada.page.waitForFunction(() => localStorage.getItem("subscribed") === null);
  assert.equal(await wish(ada.page), null);
  for (const user of [ada, bo]) await user.clean();
});

test("a browser that cannot be called says so, and a push service that cannot be reached", async () => {
  const { page, clean, context } = await browser.newUser(server);
  await context.grantPermissions(["notifications"]);
  await page.addInitScript(() => {
    PushManager.prototype.subscribe = () => Promise.reject(new DOMException("no push service", "AbortError"));
  });
  await page.goto("/");
  await page.click(".top-side .icon");
  await page.locator('input[name="call-me"]').click();
  await page.waitForFunction(() => /cannot be reached/.test(document.querySelector(".settings")?.textContent ?? ""));
  assert.equal(await page.isChecked('input[name="call-me"]'), false);
  await page.addInitScript(() => Reflect.deleteProperty(window, "PushManager"));
  await page.reload();
  await page.click(".top-side .icon");
  await page.waitForFunction(() => document.querySelector('input[name="call-me"]:disabled'));
  assert.match(await page.innerText(".settings"), /add the page to the home screen/);
  await clean();
});
