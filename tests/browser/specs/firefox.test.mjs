// The page in Firefox: the start page, a match against the bot, and moving to another device.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ARTIFACTS } from "../harness/browser.mjs";
import { firefox } from "../harness/firefox.mjs";
import { another_device } from "../harness/scenarios.mjs";
import { serve } from "../harness/server.mjs";

let server, browser;
before(async () => {
  server = await serve();
  browser = await firefox();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test("Firefox plays a move against the bot and receives the answer", async () => {
  const { page, clean } = await browser.new_user(server);
  await page.goto("/");
  await page.waitForSelector(".connection-state.online");
  await page.waitForSelector(".game");
  await page.waitForFunction(() => document.querySelectorAll("#create-game option").length > 1);
  await page.click('.create-form label:has(input[value="me"])');
  await page.click('.create-form label:has(input[value="typed"])');
  await page.fill("#create-position", "g6@5 time=15 nuggets=5 fib=12 fob=9");
  await page.click(".create-form button.primary");

  await page.waitForSelector('.stage.mine [data-move="ship c6@5"]');
  await page.click('.stage [data-move="ship c6@5"]');
  await page.waitForFunction(() => /c6@5 time=15/.test(document.querySelector(".bar .quiet")?.textContent ?? ""));
  assert.equal(await page.textContent(".bar b"), "ship c6@5");
  await page.screenshot({ path: `${ARTIFACTS}firefox.png` });
  await page.click(".bar .primary");
  await page.waitForFunction(
    () => document.querySelectorAll(".ply").length === 2 && document.querySelector(".stage.mine"),
  );
  assert.equal(await page.textContent(".ply-move"), "ship c6@5");
  assert.equal(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    0,
  );
  await clean();
});

test("Firefox: a code makes a phone the same guest", async () => {
  const ada = await browser.new_user(server);
  const phone = await browser.new_user(server, { width: 390, height: 844 });
  await another_device(ada.page, phone.page);
  for (const user of [ada, phone]) await user.clean();
});
