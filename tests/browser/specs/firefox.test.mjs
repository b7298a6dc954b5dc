// The page in Firefox: the tests of every browser, a match against the bot, and a drag by touch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS } from "../harness/browser.mjs";
import { commonTests, PHONE } from "../harness/common_tests.mjs";
import { firefox } from "../harness/firefox.mjs";
import { fillForm } from "../harness/play.mjs";
import { dragShip } from "../harness/scenarios.mjs";

const withUsers = commonTests("Firefox", firefox);

test("Firefox plays a move against the bot and receives the answer", () =>
  withUsers([{}], async (page) => {
    await page.goto("/");
    await page.waitForSelector(".connection-state.online");
    await page.waitForSelector(".game");
    await fillForm(page, { first: "me" }, "g6@5 time=15 nuggets=5 fib=12 fob=9");
    await page.click(".create-form button.primary");

    await page.waitForSelector('.stage.mine [data-move="ship c6@5"]');
    await page.click('.stage [data-move="ship c6@5"]');
    await page.waitForFunction(() => /c6@5 time=15/.test(document.querySelector(".bar .quiet")?.title ?? ""));
    assert.equal(await page.getAttribute(".bar b", "title"), "ship c6@5");
    await page.screenshot({ path: `${ARTIFACTS}firefox.png` });
    await page.click(".bar .primary");
    await page.waitForFunction(
      () => document.querySelectorAll(".ply").length === 2 && document.querySelector(".stage.mine"),
    );
    assert.equal(await page.getAttribute(".ply-move", "title"), "ship c6@5");
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      0,
    );
  }));

test("Firefox: a move is made by dragging the ship with a finger, and the page does not scroll meanwhile", () =>
  withUsers([{ ...PHONE, touch: true }], (page) => dragShip(page, (places) => page.dragByTouch(places))));
