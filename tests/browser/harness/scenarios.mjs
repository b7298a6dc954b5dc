/**
 * What users do in every browser. A page is Playwright's or the WebDriver client's, by the methods that both have.
 *
 * @typedef {import("./webdriver.mjs").WebDriverPage} Page
 */
import assert from "node:assert/strict";
import { my_turn, over } from "./play.mjs";

/** @param {Page} page */
async function path_of(page) {
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
    ([selector, text]) => [...document.querySelectorAll(selector)].some((found) => found.textContent?.includes(text)),
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
export async function two_friends(ada, bo) {
  await ada.goto("/");
  await ada.waitForSelector(".connection-state.online");
  await ada.click(".play-friend");
  await ada.fill("#ask-name", "Ada");
  await ada.click(".ask .primary");
  await ada.waitForSelector(".link");
  const first = await path_of(ada);
  await bo.goto("/");
  await bo.waitForSelector(".connection-state.online");
  await bo.goto(first);
  await bo.fill("#seat-name", "Bo");
  await bo.click(".take-seat");
  for (const page of [ada, bo]) {
    await page.waitForFunction(() =>
      ["Ada", "Bo"].every((name) => document.querySelector(".players")?.textContent?.includes(name)),
    );
  }
  const [mover, waiter] = /Ada/.test((await ada.textContent(".seat.on-turn")) ?? "") ? [ada, bo] : [bo, ada];
  await my_turn(mover);
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

  await ada.click(".notice .primary");
  await reads(bo, ".notice .offer", "Ada offers a rematch");
  await bo.click(".notice .primary");
  await bo.waitForURL((/** @type {URL} */ url) => url.pathname !== first);
  await ada.waitForSelector(".to-rematch");
  assert.equal(await path_of(ada), first);
  await ada.click(".to-rematch");
  const rematch = await path_of(bo);
  await ada.waitForURL((/** @type {URL} */ url) => url.pathname === rematch);
  await ada.click(".before");
  await ada.waitForURL((/** @type {URL} */ url) => url.pathname === first);
  await over(ada);
  await ada.goBack();
  await ada.waitForURL((/** @type {URL} */ url) => url.pathname === rematch);
  await ada.waitForSelector(".seat.on-turn");
  // The rematch took the place of the first match, so that one step further back is the start page.
  await bo.goBack();
  await bo.waitForURL((/** @type {URL} */ url) => url.pathname === "/");
}

/**
 * A guest carries name and matches to a phone by a code.
 * @param {any} ada
 * @param {any} phone
 */
export async function another_device(ada, phone) {
  const guest = (/** @type {any} */ page) =>
    page.evaluate(() => localStorage.getItem("fibfob.token")?.split(".")[0] ?? "");
  await ada.goto("/");
  await ada.waitForSelector(".connection-state.online");
  await ada.click(".make-code");
  await ada.waitForSelector(".device-code svg");
  const code = (await ada.textContent(".code-text")) ?? "";
  assert.match(code, /^\w{4}-\w{4}-\w{4}$/);
  await phone.goto("/");
  await phone.waitForSelector(".connection-state.online");
  assert.notEqual(await guest(phone), await guest(ada));
  await phone.goto(`/device#${code}`);
  await phone.click(".use-code:not(:disabled)");
  await phone.waitForURL((/** @type {URL} */ url) => url.pathname === "/");
  await phone.waitForSelector(".connection-state.online");
  assert.equal(await guest(phone), await guest(ada));
}
