// Whoever asks for it is forgotten: asked twice, told what goes and what stays, and nothing is left in the browser. The
// operator's texts are linked.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { picture } from "../harness/browser.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { createWith, online, over, rename, wide } from "../harness/play.mjs";
import { serve } from "../harness/server.mjs";

/** @typedef {import("playwright-core").Page} Page */

const PHONE = { width: 360, height: 740, scheme: "light", touch: true, locale: "de-DE" };

/** Opens what the settings have about the viewer's data. @param {Page} page */
async function openData(page) {
  await page.click(".top .icon");
  await page.click(".data summary");
  await page.waitForSelector(".forget-me");
}

/** Returns the keys of what the page has stored. @param {Page} page */
const stored = (page) => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);

test("a player is forgotten after two questions, and the opponent keeps the match", async () => {
  const ada = await browser.newUser(server, PHONE);
  const bo = await browser.newUser(server);
  await ada.page.goto("/");
  await rename(ada.page, "Ada");
  await createWith(ada.page, bo.page, { game: "nim", position: "3,4" });
  await bo.page.waitForFunction(() => /Ada/.test(document.body.textContent ?? ""));
  const tab = await ada.context.newPage();
  await tab.goto("/");
  await online(tab);

  await openData(ada.page);
  assert.ok((await wide(ada.page)) <= 0);
  await ada.page.click(".forget-me");
  assert.match((await ada.page.textContent(".ask")) ?? "", /Dein Name verschwindet .*Deine Züge bleiben/);
  assert.deepEqual(await violations(ada.page), []);
  await picture(ada.page, "forget-phone-light");
  await ada.page.click(".ask .primary");
  await ada.page.waitForFunction(() => /endgültig/.test(document.querySelector(".ask h2")?.textContent ?? ""));
  await ada.page.keyboard.press("Escape");
  await ada.page.waitForSelector(".ask", { state: "detached" });
  assert.ok((await stored(ada.page)).includes("fibfob.token"), "nothing is forgotten after one answer");

  await ada.page.click(".forget-me");
  await ada.page.click(".ask .primary");
  await ada.page.waitForFunction(() => /endgültig/.test(document.querySelector(".ask h2")?.textContent ?? ""));
  await ada.page.click(".ask .primary");
  for (const page of [ada.page, tab]) {
    await page.waitForSelector(".signed-out[open]");
    assert.match((await page.textContent(".signed-out")) ?? "", /Du bist vergessen/);
    assert.deepEqual(await stored(page), []);
  }
  assert.deepEqual(await violations(ada.page), []);
  await picture(ada.page, "forgotten-phone-light");

  await over(bo.page);
  await bo.page.waitForFunction(() => /A former player/.test(document.querySelector("main")?.textContent ?? ""));
  assert.doesNotMatch((await bo.page.textContent("main")) ?? "", /Ada/);
  assert.equal(await bo.page.locator(".rematch").count(), 0);
  await picture(bo.page, "former-player-dark");
  await ada.page.click(".new-guest");
  await online(ada.page);
  for (const user of [ada, bo]) await user.clean();
});

test("the operator's texts are linked where there are any", async () => {
  const file = join(tmpdir(), `fibfob-imprint-${process.pid}.txt`);
  await writeFile(file, "Ada Example, 1 Example Road <b>\n");
  const own = await serve({ options: ["--imprint", file] });
  const { page, clean } = await browser.newUser(own);
  await page.goto("/");
  const link = page.locator(".foot a");
  await link.waitFor();
  assert.equal(await link.textContent(), "Imprint");
  assert.deepEqual(await violations(page), []);
  const shown = await fetch(new URL((await link.getAttribute("href")) ?? "", own.base));
  assert.match(shown.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(await shown.text(), /1 Example Road <b>/);
  assert.equal((await fetch(`${own.base}/contact`)).status, 404);
  await clean();
  await own.stop();
});
