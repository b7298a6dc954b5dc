// One guest on several devices: a code carries name and matches to another browser, which is asked before it replaces
// what it has; a code that is no longer good is told; and one device signs out the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { picture } from "../harness/browser.mjs";
import { click, create, createWith, myTurn, online, sees, wide } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** @typedef {import("playwright-core").Page} Page */

const PHONE = { width: 360, height: 740, scheme: "light", touch: true };

/** @param {Page} page */
async function home(page) {
  await page.goto("/");
  await online(page);
}

/** Opens what the settings have for other devices. @param {Page} page */
async function openDevices(page) {
  if (await page.isVisible(".devices")) return;
  await page.click(".top .icon");
  await page.click(".other-devices summary");
  await page.waitForSelector(".devices");
}

/** @param {Page} page */
async function makeCode(page) {
  await openDevices(page);
  await page.click(".make-code");
  await page.waitForSelector(".device-code svg");
  return (await page.textContent(".code-text")) ?? "";
}

/** @param {Page} page */
const guest = (page) => page.evaluate(() => localStorage.getItem("fibfob.token")?.split(".")[0]);

/**
 * Follows the link that the QR code leads to, and agrees to become the guest that it names.
 * @param {Page} page
 * @param {string} code
 */
async function take(page, code) {
  await page.goto(`/device#${code}`);
  await page.click(".become");
}

/** @param {Page} page */
const nameShown = (page) => page.textContent(".who .name");

test("a code carries name and matches to a phone, which takes the seat", async () => {
  const ada = await browser.newUser(server);
  const phone = await browser.newUser(server, PHONE);
  const bo = await browser.newUser(server);
  await home(ada.page);
  await ada.page.evaluate(() => localStorage.setItem("fibfob.name", "Ada"));
  const path = await createWith(ada.page, bo.page, { game: "nim", position: "3,4" });
  await home(ada.page);
  const code = await makeCode(ada.page);
  assert.match(code, /^\w{4}-\w{4}-\w{4}$/);
  assert.deepEqual(await violations(ada.page), []);
  await ada.page.locator(".devices").scrollIntoViewIfNeeded();
  await picture(ada.page, "devices-dark");

  // The code is in no address that is sent or kept.
  /** @type {string[]} */
  const asked = [];
  phone.page.on("request", (request) => asked.push(request.url().split("#")[0]));
  await phone.page.goto(`/device#${code}`);
  await phone.page.waitForSelector(".become");
  assert.equal(await phone.page.textContent(".replaces"), "", "a new browser has nothing to lose");
  const askedFor = (await phone.page.textContent(".whose")) ?? "";
  assert.match(askedFor, /the code of Ada\. .*plays as Ada.* stays Ada too: it sees the matches/);
  assert.equal(new URL(phone.page.url()).hash, "");
  assert.ok((await wide(phone.page)) <= 0);
  assert.deepEqual(await violations(phone.page), []);
  await picture(phone.page, "device-phone-light");
  const before = await guest(phone.page);
  await phone.page.reload();
  assert.equal(await guest(phone.page), before, "nothing is taken yet");
  await phone.page.goto("/");
  await phone.page.goto(`/device#${code}`);
  await phone.page.tap(".become");
  await phone.page.waitForSelector(`.own .entry.calls[href="${path}"]`);
  assert.notEqual(await guest(phone.page), before);
  assert.equal(await guest(phone.page), await guest(ada.page));
  assert.equal(await nameShown(phone.page), "Ada");
  await phone.page.tap(`.own .entry[href="${path}"]`);
  await myTurn(phone.page);
  await click(phone.page, "take 3 from 1");
  await sees(bo.page, 1);
  assert.ok(!asked.some((url) => url.includes(code)), asked.join());
  await phone.page.goto("/");
  await openDevices(phone.page);
  await phone.page.locator(".devices").scrollIntoViewIfNeeded();
  assert.ok((await wide(phone.page)) <= 0);
  await picture(phone.page, "devices-phone-light");
  for (const user of [ada, phone, bo]) await user.clean();
});

test("a browser with matches is asked before they are replaced, and a used code is told", async () => {
  const ada = await browser.newUser(server);
  const cy = await browser.newUser(server, { locale: "de-DE" });
  await home(ada.page);
  const code = await makeCode(ada.page);
  await create(cy.page, { game: "nim", position: "3,4" });
  await home(cy.page);
  const own = await guest(cy.page);

  // By keyboard, from the settings; as people type it.
  await openDevices(cy.page);
  await cy.page.click(".devices .to-code");
  await cy.page.waitForSelector(".device button:not(:disabled)");
  await cy.page.focus("#device-code");
  await cy.page.keyboard.type(code.toLowerCase().replaceAll("-", " "));
  await cy.page.keyboard.press("Enter");
  await cy.page.waitForSelector(".replaces:not(:empty)");
  assert.match((await cy.page.textContent(".replaces")) ?? "", /Hier bist du jetzt .* und hast Partien/);
  await cy.page.waitForSelector(".become");
  assert.match((await cy.page.textContent(".whose")) ?? "", /Das ist der Code von \S+ \S+\./, "an unnamed one");
  assert.equal(await guest(cy.page), own, "nothing is replaced yet");
  assert.deepEqual(await violations(cy.page), []);
  await cy.page.goto("/");
  assert.equal(await guest(cy.page), own, "not now");

  const phone = await browser.newUser(server, PHONE);
  await take(phone.page, code);
  await phone.page.waitForURL((/** @type {URL} */ url) => url.pathname === "/");
  assert.equal(await guest(phone.page), await guest(ada.page));
  await cy.page.goto(`/device#${code}`);
  await cy.page.waitForSelector(".device .fault:not(:empty)");
  assert.match((await cy.page.textContent(".device .fault")) ?? "", /Dieser Code gilt nicht/);
  assert.ok(await cy.page.evaluate(() => document.activeElement?.matches("#device-code")));
  assert.deepEqual(await violations(cy.page), []);
  assert.equal(await guest(cy.page), own);
  for (const user of [ada, cy, phone]) await user.clean();
});

test("a code says when its time is over", async () => {
  const { page, clean } = await browser.newUser(server);
  await page.clock.install();
  await home(page);
  await makeCode(page);
  await page.clock.fastForward("05:01");
  await page.waitForFunction(() => /no longer valid/.test(document.querySelector(".device-code")?.textContent ?? ""));
  assert.equal(await page.locator(".device-code svg").count(), 0);
  await clean();
});

test("one device signs out the others, which are told and can come back with a code", async () => {
  const ada = await browser.newUser(server);
  const phone = await browser.newUser(server, PHONE);
  await home(ada.page);
  await take(phone.page, await makeCode(ada.page));
  await phone.page.waitForURL((/** @type {URL} */ url) => url.pathname === "/");
  const tab = await phone.context.newPage();
  await home(tab);
  const path = await create(ada.page, { game: "nim", position: "3,4" });
  const otherTab = await ada.context.newPage();
  await otherTab.goto(path);
  await myTurn(otherTab);
  await home(ada.page);

  await openDevices(ada.page);
  await ada.page.click(".sign-out-others");
  assert.deepEqual(await violations(ada.page), []);
  await ada.page.click(".ask .primary");
  await ada.page.waitForSelector(".devices-state:not(:empty)");
  for (const page of [phone.page, tab]) {
    await page.waitForSelector(".signed-out[open]");
    assert.match((await page.textContent(".signed-out")) ?? "", /Another of your devices has signed this one out/);
  }
  assert.deepEqual(await violations(tab), []);
  await picture(tab, "signed-out-light");
  // The browser's own other tab goes on, with the new token.
  await online(otherTab);
  await click(otherTab, "take 3 from 1");
  await ada.page.reload();
  await online(ada.page);

  const guestBefore = await guest(phone.page);
  await tab.click(".new-guest");
  await tab.waitForFunction((before) => localStorage.getItem("fibfob.token")?.split(".")[0] !== before, guestBefore);
  await online(tab);
  // The first tab is the new guest too.
  await online(phone.page);
  await take(phone.page, await makeCode(ada.page));
  await phone.page.click(".own summary");
  await phone.page.waitForSelector(`.own .entry[href="${path}"]`);
  assert.equal(await guest(phone.page), guestBefore);
  for (const user of [ada, phone]) await user.clean();
});
