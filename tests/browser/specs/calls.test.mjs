// Calls of a player who looks elsewhere: title, icon, sound, notification and live region, when they should be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, create, myTurn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** Records sounds and notifications in place of the browser's own, in a tab that is not looked at. */
function record() {
  const heard = { notes: 0, shown: /** @type {string[]} */ ([]) };
  class Sound {
    currentTime = 0;
    state = "running";
    destination = {};
    createOscillator = () => ({
      frequency: {},
      connect: (/** @type {any} */ next) => next,
      start: () => heard.notes++,
      stop() {},
    });
    createGain = () => ({
      gain: { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} },
      connect: (/** @type {any} */ next) => next,
    });
  }
  class Shown {
    static permission = "granted";
    static requestPermission = () => Promise.resolve("granted");
    /** @param {string} _title @param {{ body: string }} options */
    constructor(_title, { body }) {
      if (/** @type {any} */ (window).android) throw new TypeError("Illegal constructor");
      heard.shown.push(body);
    }
  }
  Object.assign(window, { heard, AudioContext: Sound, Notification: Shown });
  Object.defineProperty(document, "hidden", { get: () => /** @type {any} */ (window).away === true });
  const paint = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => paint(/** @type {any} */ (window).unpainted ? () => {} : callback);
}

/**
 * Opens the page with recorded calls, and asks for notifications in its settings.
 * @param {import("playwright-core").Page} page
 */
async function wantsNotifications(page) {
  await page.addInitScript(record);
  await page.goto("/");
  await page.click(".top-side .icon");
  await page.check('input[name="notify"]');
  await page.click(".settings > button");
}

/** @param {import("playwright-core").Page} page */
const heard = (page) => page.evaluate(() => /** @type {any} */ (window).heard);
/** @param {import("playwright-core").Page} page */
const polite = (page) => page.textContent("#polite");

test("a player who looks elsewhere is called by title, icon, sound and notification, if these are wanted", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await wantsNotifications(ada.page);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend", first: "other" });
  await ada.page.evaluate(() => Object.assign(window, { away: true }));
  assert.doesNotMatch(await ada.page.title(), /^●/);

  // The friend comes.
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await ada.page.waitForFunction(() => /** @type {any} */ (window).heard.shown.length === 1);
  assert.match((await heard(ada.page)).shown[0], /joined/);
  await ada.page.waitForFunction(() => /** @type {any} */ (window).heard.notes === 2);

  // It is the player's turn.
  await myTurn(bo.page);
  // A tab that nobody sees is not painted.
  await ada.page.evaluate(() => Object.assign(window, { unpainted: true }));
  await click(bo.page, "take 1 from 1");
  await ada.page.waitForFunction(() => /^● Your move/.test(document.title), null, { polling: 50 });
  await ada.page.evaluate(() => Object.assign(window, { unpainted: false }));
  assert.match((await ada.page.getAttribute("link[rel=icon]", "href")) ?? "", /icon_call\.svg$/);
  assert.match((await heard(ada.page)).shown[1], /took 1 from heap 1\. Your move\./);
  assert.match((await polite(ada.page)) ?? "", /Your move/);

  // One's own move calls nobody.
  await click(ada.page, "take 1 from 2");
  await ada.page.waitForFunction(() => !document.title.startsWith("●"));
  assert.equal((await heard(ada.page)).shown.length, 2);

  // The end of the match, without the sound that is switched off.
  await ada.page.click(".top-side .icon");
  await ada.page.uncheck('input[name="sound"]');
  await ada.page.click(".settings > button");
  const before = (await heard(ada.page)).notes;
  await bo.page.click(".resign");
  await bo.page.click(".resign");
  await over(ada.page);
  await ada.page.waitForFunction(() => /** @type {any} */ (window).heard.shown.length === 3);
  assert.match((await heard(ada.page)).shown[2], /You won/);
  assert.equal((await heard(ada.page)).notes, before);

  // A rematch that is asked for.
  await bo.page.click(".rematch");
  await ada.page.waitForFunction(() => /** @type {any} */ (window).heard.shown.length === 4);
  assert.match((await heard(ada.page)).shown[3], /rematch/);
  for (const user of [ada, bo]) await user.clean();
});

test("a browser in which only a worker notifies, as on Android, calls by that", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await ada.page.context().grantPermissions(["notifications"]);
  await wantsNotifications(ada.page);
  const path = await create(ada.page, { game: "nim", position: "3,4", opponent: "friend", first: "me" });
  await ada.page.evaluate(() => Object.assign(window, { away: true, android: true }));
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await ada.page.waitForFunction(() => /^● Your move/.test(document.title));
  assert.ok((await heard(ada.page)).notes > 0);
  await ada.page.waitForFunction(async () => {
    const [worker] = await navigator.serviceWorker.getRegistrations();
    const shown = await worker?.getNotifications();
    return shown?.some(
      ({ title, body, data }) => title === "Fib Fob" && body.includes("Your move") && data === location.pathname,
    );
  });
  // A notification that throws would be an error of the page.
  for (const user of [ada, bo]) await user.clean();
});

test("a friend who takes an invitation calls the player on the start page and in another match", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await ada.page.addInitScript(record);
  const invite = () => create(ada.page, { game: "nim", position: "3,4", opponent: "friend", first: "me" });
  const first = await invite();
  await ada.page.click("a.brand");
  await ada.page.waitForSelector(`.own .entry[href="${first}"]`);
  assert.equal(await ada.page.title(), "Fib Fob");
  await bo.page.goto(first);
  await bo.page.click(".take-seat");
  await ada.page.waitForFunction(() => document.title === "● Fib Fob");
  await ada.page.waitForSelector(`.own .entry.calls[href="${first}"]`);
  assert.match((await ada.page.getAttribute("link[rel=icon]", "href")) ?? "", /icon_call\.svg$/);
  assert.match((await polite(ada.page)) ?? "", new RegExp(`^Match ${first.slice(3)}: .+ joined\\. Your move\\.$`));
  assert.equal((await heard(ada.page)).notes, 2);

  await ada.page.click(".play-friend");
  await ada.page.waitForSelector(".link");
  const second = new URL(ada.page.url()).pathname;
  assert.ok((await ada.page.title()).startsWith("●"), "the first match still waits");
  await ada.page.click("a.brand");
  await ada.page.click(`.own .entry[href="${first}"]`);
  await myTurn(ada.page);
  const before = (await heard(ada.page)).notes;
  await bo.page.goto(second);
  await bo.page.click(".take-seat");
  await ada.page.waitForFunction((before) => /** @type {any} */ (window).heard.notes > before, before);
  await ada.page.waitForFunction(
    (code) => document.querySelector("#polite")?.textContent?.includes(code),
    second.slice(3),
  );
  for (const user of [ada, bo]) await user.clean();
});

test("a late spectator does not hear the whole log", async () => {
  const ada = await browser.newUser(server);
  const cy = await browser.newUser(server);
  const path = await create(ada.page, { game: "nim", position: "3,4,5", level: "perfect" });
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 3");
  await cy.page.addInitScript(record);
  await cy.page.goto(path);
  await cy.page.waitForSelector(".ply");
  assert.doesNotMatch((await polite(cy.page)) ?? "", /take 1 from 3/);
  assert.equal((await heard(cy.page)).notes, 0);
  await ada.page.click(".resign");
  await ada.page.click(".resign");
  await over(cy.page);
  await cy.page.waitForFunction(() => /won/.test(document.querySelector("#polite")?.textContent ?? ""));
  assert.equal((await heard(cy.page)).notes, 0);
  for (const user of [ada, cy]) await user.clean();
});

test("a takeback that is asked for calls the player", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await bo.page.addInitScript(record);
  await bo.page.goto("/");
  await bo.page.click(".top-side .icon");
  await bo.page.check('input[name="notify"]');
  await bo.page.click(".settings > button");
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await bo.page.evaluate(() => Object.assign(window, { away: true }));
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 1");
  await myTurn(bo.page);
  const { notes, shown } = await heard(bo.page);
  await ada.page.click(".takeback:not(:disabled)");
  await bo.page.waitForFunction(() => document.documentElement.dataset.lastCall === "takeback");
  assert.match((await heard(bo.page)).shown[shown.length], /take back/);
  assert.ok((await heard(bo.page)).notes > notes);
  for (const user of [ada, bo]) await user.clean();
});

test("the choice of the first move calls the player in another tab too, and one answer ends both calls", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const path = await create(ada.page, { opponent: "friend", first: "choose" });
  await bo.page.goto(path);
  const second = await bo.context.newPage();
  await second.addInitScript(record);
  await second.goto("/");
  await second.click(".top-side .icon");
  await second.check('input[name="notify"]');
  await second.goto(path);
  await second.waitForSelector(".take-seat");
  await second.evaluate(() => Object.assign(window, { away: true }));
  await bo.page.click(".take-seat");
  for (const tab of [bo.page, second]) {
    await tab.waitForFunction(() => document.title.startsWith("●"));
    await tab.waitForSelector(".move-first");
  }
  await second.waitForFunction(() => /** @type {any} */ (window).heard.notes > 0);
  assert.match((await heard(second)).shown.join(), /first/);
  assert.match((await second.getAttribute("link[rel=icon]", "href")) ?? "", /icon_call\.svg$/);
  await bo.page.click(".move-second");
  await second.waitForFunction(() => !document.title.startsWith("●"));
  // Either tab plays.
  await myTurn(ada.page);
  await ada.page.locator(".stage [data-move]").first().dispatchEvent("click");
  await ada.page.click(".bar .primary:not(:disabled)");
  await myTurn(second);
  for (const user of [ada, bo]) await user.clean();
});
