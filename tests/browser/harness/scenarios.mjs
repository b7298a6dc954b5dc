/**
 * What users do in every browser. A page is Playwright's or the WebDriver client's, by the methods that both have.
 *
 * @typedef {import("./webdriver.mjs").WebDriverPage} Page
 */
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { ARTIFACTS } from "./browser.mjs";
import { fillForm, myTurn, online, over, rename } from "./play.mjs";
import { outside } from "./windows.mjs";

const POSITION = "g6@5 time=15 nuggets=5 fib=12 fob=9";
/** The parts of a match that share one window. */
const PARTS = [".stack", ".dial", ".tank", ".bar", ".tab:not([hidden])"];

/** @param {Page} page */
async function pathOf(page) {
  return new URL(await page.url()).pathname;
}

/**
 * Waits until an element has a text.
 * @param {Page} page
 * @param {string} selector
 * @param {string} text
 */
function reads(page, selector, text) {
  return page.waitForFunction(
    ([selector, text]) =>
      [...document.querySelectorAll(selector)].some((found) => `${found.textContent} ${found.title}`.includes(text)),
    [selector, text],
  );
}

/**
 * Clicks a move in the picture and plays it.
 * @param {Page} page
 * @param {string} move
 */
export async function play(page, move) {
  await page.click(`.stage [data-move="${move}"]`);
  await reads(page, ".bar b", move);
  await page.click(".bar .primary");
  await reads(page, ".ply-move", move);
}

/**
 * Ada invites Bo from the start page. They play to the end, agree on a rematch, and look at the first match again.
 * @param {any} ada
 * @param {any} bo
 */
export async function twoFriends(ada, bo) {
  await ada.goto("/");
  await online(ada);
  await ada.click(".play-friend");
  await ada.waitForSelector(".link");
  await ada.fill("#invite-name", "Ada");
  await ada.press("#invite-name", "Enter");
  const first = await pathOf(ada);
  await bo.goto("/");
  await online(bo);
  await bo.goto(first);
  await bo.click(".take-seat");
  await rename(bo, "Bo");
  for (const page of [ada, bo]) {
    await page.waitForFunction(() =>
      ["Ada", "Bo"].every((name) => document.querySelector(".players")?.textContent?.includes(name)),
    );
  }
  const [mover, waiter] = /Ada/.test((await ada.textContent(".seat.on-turn")) ?? "") ? [ada, bo] : [bo, ada];
  await myTurn(mover);
  await play(mover, (await mover.getAttribute(".stage [data-move]", "data-move")) ?? "");
  await waiter.waitForFunction(() => /^● Your move/.test(document.title));
  assert.match((await waiter.getAttribute("link[rel=icon]", "href")) ?? "", /icon_call\.svg$/);
  assert.match((await mover.textContent(".ply-name")) ?? "", /^you/);
  assert.match((await waiter.textContent(".ply-name")) ?? "", mover === ada ? /^Ada/ : /^Bo/);

  await bo.click(".resign");
  await bo.click(".resign");
  for (const page of [ada, bo]) await over(page);
  assert.equal(await ada.textContent(".notice p"), "Bo resigned.");
  assert.equal(await bo.textContent(".notice p"), "You resigned. Ada won.");
  await ada.waitForFunction(() => /^You won · \w{6} · Fib Fob$/.test(document.title));
  await ada.waitForFunction(() => /You won\. Bo resigned/.test(document.querySelector("#polite")?.textContent ?? ""));

  await ada.click(".rematch");
  await reads(bo, ".notice .offer", "Ada offers a rematch");
  await bo.click(".rematch");
  await bo.waitForURL((/** @type {URL} */ url) => url.pathname !== first);
  await ada.click(".to-rematch + button");
  await ada.waitForFunction(() => /^● To the rematch/.test(document.title));
  assert.equal(await pathOf(ada), first);
  await ada.click(".to-rematch");
  const rematch = await pathOf(bo);
  await ada.waitForURL((/** @type {URL} */ url) => url.pathname === rematch);
  // The way back leads to the finished match, which takes nobody away again.
  await ada.goBack();
  await ada.waitForURL((/** @type {URL} */ url) => url.pathname === first);
  await over(ada);
  // The rematch goes on, and the live line leads to it.
  await ada.waitForSelector(`.live-line[href="${rematch}"]`);
  assert.equal(await pathOf(ada), first);
  await ada.goForward();
  await ada.waitForURL((/** @type {URL} */ url) => url.pathname === rematch);
  await ada.waitForSelector(".seat.on-turn");
}

/**
 * A guest carries name and matches to a phone by a code.
 * @param {any} ada
 * @param {any} phone
 */
export async function anotherDevice(ada, phone) {
  const guest = (/** @type {any} */ page) =>
    page.evaluate(() => localStorage.getItem("fibfob.token")?.split(".")[0] ?? "");
  await ada.goto("/");
  await online(ada);
  await ada.click(".top .icon");
  await ada.click(".other-devices summary");
  await ada.click(".make-code");
  await ada.waitForSelector(".device-code svg");
  const code = (await ada.textContent(".code-text")) ?? "";
  assert.match(code, /^\w{4}-\w{4}-\w{4}$/);
  await phone.goto("/");
  await online(phone);
  assert.notEqual(await guest(phone), await guest(ada));
  await phone.goto(`/device#${code}`);
  await phone.click(".become");
  await phone.waitForURL((/** @type {URL} */ url) => url.pathname === "/");
  await online(phone);
  assert.equal(await guest(phone), await guest(ada));
}

/**
 * Starts a match of Fib Fob, in which the viewer moves first. Returns its path.
 * @param {any} page
 * @param {string} opponent
 */
async function create(page, opponent) {
  await page.goto("/");
  await online(page);
  await fillForm(page, { opponent, first: "me" }, POSITION);
  await page.click(".create-form button.primary");
  await page.waitForSelector(".match");
  return pathOf(page);
}

/**
 * Ada, who has never played, invites Bo, who has not either: both see the rules, he once he has joined.
 * @param {any} ada
 * @param {any} bo
 * @param {string} pictures the beginning of their names
 */
export async function firstVisit(ada, bo, pictures) {
  const path = await create(ada, "friend");
  await bo.goto(path);
  await ada.waitForSelector(".inviting .how-moves li");
  await ada.screenshot({ path: `${ARTIFACTS}${pictures}-rules-ada.png` });
  await bo.click(".take-seat");
  await bo.waitForSelector(".how-sheet .how-moves li");
  await bo.screenshot({ path: `${ARTIFACTS}${pictures}-rules-bo.png` });
  await bo.click(".how-done");
  await bo.waitForSelector(".how-sheet", { state: "detached" });
  await myTurn(ada);
}

/**
 * Boards, instruments and bar of a match share the window, also once a move is chosen.
 * @param {any} page
 * @param {{ font?: string }} letters
 * @param {string} [picture] the name of a picture to take
 */
export async function oneWindow(page, { font }, picture) {
  await create(page, "casual");
  if (font) await page.evaluate((/** @type {string} */ font) => (document.documentElement.style.fontSize = font), font);
  await myTurn(page);
  assert.deepEqual(await outside(page, PARTS), []);
  await page.click('.stage [data-move="ship c6@5"]');
  await reads(page, ".bar b", "ship c6@5");
  // On a short phone the bar with a move takes the place of the tabs.
  const parts = PARTS.filter((part) => !part.startsWith(".tab:"));
  assert.deepEqual(await outside(page, [...parts, ".bar .primary"]), []);
  if (picture) await page.screenshot({ path: `${ARTIFACTS}${picture}.png` });
}

/**
 * Drags the ship to a square, and plays that move.
 * @param {any} page
 * @param {(places: { x: number, y: number }[]) => Promise<void>} drag
 */
export async function dragShip(page, drag) {
  await create(page, "casual");
  await myTurn(page);
  const middle = (/** @type {string} */ selector) =>
    page.evaluate((/** @type {string} */ selector) => {
      const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
      return { x: x + width / 2, y: y + height / 2 };
    }, selector);
  const from = await middle(".ship:not(.ghost) .ship-hull");
  const to = await middle('[data-move="ship c6@5"]');
  await drag([from, { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }, to]);
  await reads(page, ".bar b", "ship c6@5");
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.click(".bar .primary");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length === 2);
}

/**
 * The accessibility engine finds no violation on the start page, in a match, in its rules and at its end.
 * @param {any} page
 * @param {{ theme: string, language: string }} settings
 * @param {string} [picture] the name of a picture to take
 */
export async function accessible(page, settings, picture) {
  const none = async (/** @type {string} */ state) =>
    assert.deepEqual(await violations(page), [], `${state}, ${Object.values(settings)}`);
  await page.goto("/");
  await page.evaluate(
    (/** @type {object} */ settings) => localStorage.setItem("fibfob.settings", JSON.stringify(settings)),
    settings,
  );
  await page.goto("/");
  await online(page);
  await page.waitForFunction(
    (/** @type {string} */ language) => document.documentElement.lang === language,
    settings.language,
  );
  await page.waitForSelector("main h1");
  await none("the start page");
  await create(page, "casual");
  await myTurn(page);
  await play(page, "ship c6@5");
  await myTurn(page);
  await none("a match");
  if (picture) await page.screenshot({ path: `${ARTIFACTS}${picture}.png` });
  await page.click(".how-button");
  await page.waitForSelector(".how-sheet");
  await none("the rules");
  await page.click(".how-done");
  await page.click(".resign");
  await page.click(".resign");
  await page.waitForSelector(".notice.you-lost");
  await none("the end");
}
