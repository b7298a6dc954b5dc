// The page in Firefox: a match against the bot, two friends, the rules at the first match, small windows, a drag by
// touch, accessibility, and moving to another device.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ARTIFACTS } from "../harness/browser.mjs";
import { firefox } from "../harness/firefox.mjs";
import { accessible, another_device, drag_ship, first_visit, one_window, two_friends } from "../harness/scenarios.mjs";
import { serve } from "../harness/server.mjs";
import { WINDOWS } from "../harness/windows.mjs";

const PHONE = { width: 390, height: 844 };

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

test("Firefox: two named friends play from the link to the rematch, and back to the first match", async () => {
  const ada = await browser.new_user(server);
  const bo = await browser.new_user(server);
  await two_friends(ada.page, bo.page);
  for (const user of [ada, bo]) await user.clean();
});

test("Firefox: the first match begins with the rules, for an invited friend before taking the seat", async () => {
  const ada = await browser.new_user(server, { rules: true });
  const bo = await browser.new_user(server, { ...PHONE, rules: true });
  await first_visit(ada.page, bo.page, "firefox");
  for (const user of [ada, bo]) await user.clean();
});

for (const { name, font, ...size } of WINDOWS) {
  test(`Firefox: a match fits one window: ${name}`, async () => {
    const { page, clean } = await browser.new_user(server, { ...size, touch: true });
    await one_window(page, { font }, `firefox-window-${name.replaceAll(/\W+/g, "-")}`);
    await clean();
  });
}

test("Firefox: a move is made by dragging the ship with a finger, and the page does not scroll meanwhile", async () => {
  const { page, clean } = await browser.new_user(server, { ...PHONE, touch: true });
  await drag_ship(page, (places) => page.drag_by_touch(places));
  await clean();
});

for (const theme of ["dark", "light"]) {
  for (const language of ["en", "de"]) {
    test(`Firefox: axe finds no violation from the start page to the end, ${theme}, ${language}`, async () => {
      const { page, clean } = await browser.new_user(server);
      await accessible(page, { theme, language }, `firefox-match-${theme}-${language}`);
      await clean();
    });
  }
}
