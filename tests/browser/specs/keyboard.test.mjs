// A whole match without a mouse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fillForm, myTurn } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

const TABS_MOST = 80;
const PLIES_MOST = 30;

/**
 * Presses Tab until the focused element matches.
 * @param {import("playwright-core").Page} page
 * @param {string} selector
 */
async function tabTo(page, selector) {
  for (let count = 0; count < TABS_MOST; count++) {
    if (await page.evaluate((selector) => !!document.activeElement?.matches(selector), selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never reached ${selector}`);
}

test("a match against the bot can be played to the end with the keyboard alone", async () => {
  const { page, clean } = await browser.newUser(server);
  await page.goto("/");
  await page.waitForFunction(() => document.querySelectorAll("#create-game option").length > 1);
  await tabTo(page, ".more-options");
  await page.keyboard.press("Enter");
  await tabTo(page, "#create-first");
  await page.keyboard.press("ArrowDown");
  await tabTo(page, "#create-start");
  // Past the wild one.
  for (let step = 0; step < 2; step++) await page.keyboard.press("ArrowDown");
  await tabTo(page, "#create-position");
  await page.keyboard.type("c2@2 time=2 nuggets=1 fib=2 fob=1");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".stage.mine [data-move]", { state: "attached" });
  await tabTo(page, ".stage [data-move]");

  for (let ply = 0; ply < PLIES_MOST; ply++) {
    await page.waitForFunction(
      () => document.querySelector(".notice.is-over h2") || document.activeElement?.matches(".stage.mine [data-move]"),
    );
    if (await page.locator(".notice.is-over h2").count()) break;
    const count = await page.locator(".ply").count();
    const at = () => page.evaluate(() => document.activeElement?.getAttribute("data-move"));
    const first = await at();
    // Arrow keys move between choices, and the focus is visible.
    for (const key of ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]) {
      await page.keyboard.press(key);
      if ((await at()) !== first) break;
    }
    const choices = await page.locator(".stage [data-move]").count();
    if (choices > 1) assert.notEqual(await at(), first);
    const move = await at();
    await page.keyboard.press("Enter");
    await page.waitForFunction((move) => document.querySelector(".bar b")?.title === move, move);
    await page.waitForFunction((move) => document.activeElement?.getAttribute("data-move") === move, move);
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll(".ply").length > count, count);
  }
  assert.equal(await page.locator(".notice.is-over h2").count(), 1);
  await clean();
});

test("a move can be typed in any capitals and spaces, and an illegal one is reported", async () => {
  const { page, clean } = await browser.newUser(server);
  await page.goto("/");
  await fillForm(page, { game: "nim", first: "me" }, "3,4,5");
  await page.press("#create-position", "Enter");
  await page.waitForSelector(".stage.mine [data-move]", { state: "attached" });
  // The field comes after the first picture.
  await page.waitForSelector(".typed input:not(:disabled)");
  await page.keyboard.press("/");
  await page.keyboard.type("take 9 from 1");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() =>
    /not a legal move/.test(document.querySelector(".typed-panel .fault")?.textContent ?? ""),
  );
  await page.fill(".typed input", " Take2  from 1");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /1,4,5/.test(document.querySelector(".bar .quiet")?.title ?? ""));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length > 0);
  assert.equal(await page.getAttribute(".ply-move", "title"), "take 2 from 1");
  await clean();
});

test("the link that skips the header keeps what the match shows, and takes no step in the history", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { game: "nim", position: "3,4" });
  await myTurn(page);
  await page.fill(".typed input", "take 1 from 1");
  await page.press(".typed input", "Enter");
  await page.waitForSelector(".bar.chosen");
  await page.focus(".skip");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "main");
  assert.equal(await page.getAttribute(".bar b", "title"), "take 1 from 1");
  await page.goBack();
  await page.waitForSelector(".hero");
  await clean();
});
