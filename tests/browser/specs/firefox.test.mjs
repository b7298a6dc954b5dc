// The page in Firefox: the start page and a match against the bot.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ARTIFACTS } from "../harness/browser.mjs";
import { firefox } from "../harness/firefox.mjs";
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
  const { page, clean } = browser;
  await page.goto(server.base);
  await page.waitForSelector(".connection-state.online");
  await page.waitForSelector(".game");
  await page.waitForFunction(() => document.querySelectorAll("#create-game option").length > 1);
  await page.click('.create-form label:has(input[value="me"])');
  await page.click('.create-form label:has(input[value="typed"])');
  await page.type("#create-position", "g6@5 time=15 nuggets=5 fib=12 fob=9");
  await page.click(".create-form button.primary");

  await page.waitForSelector('.stage.mine [data-move="ship c6@5"]');
  await page.click('.stage [data-move="ship c6@5"]');
  await page.waitForFunction(() => /c6@5 time=15/.test(document.querySelector(".bar .quiet")?.textContent ?? ""));
  assert.equal(await page.$eval(".bar b", (chosen) => chosen.textContent), "ship c6@5");
  await page.screenshot({ path: `${ARTIFACTS}firefox.png` });
  await page.click(".bar .primary");
  await page.waitForFunction(
    () => document.querySelectorAll(".ply").length === 2 && document.querySelector(".stage.mine"),
  );
  assert.equal(await page.$eval(".ply-move", (move) => move.textContent), "ship c6@5");
  assert.equal(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    0,
  );
  clean();
});
