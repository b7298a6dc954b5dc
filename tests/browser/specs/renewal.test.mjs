// An upgrade under an open page: the server has another version of the page, and the modules of the old one are gone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { open } from "../harness/browser.mjs";
import { click, create, myTurn, online, over } from "../harness/play.mjs";
import { ROOT, serve } from "../harness/server.mjs";

/** Errors that Chromium logs for the restarted server, and for modules that are gone. */
const FAILING = /WebSocket connection to|ERR_|404/;
/** The first server has the page in the program, whatever the other specs are given. */
delete process.env.FIBFOB_WEB;
/** The page read from its folder is another version than the one in the program. */
const UPGRADED = ["--web", join(ROOT, "server", "web")];

/** @type {Awaited<ReturnType<typeof open>>} */
let browser;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
before(async () => {
  browser = await open();
});
after(() => browser.close());

/** Replaces the server by one with another version of the page, and waits until the tab is connected to it. */
async function upgrade(/** @type {import("playwright-core").Page} */ page) {
  await page.evaluate(() => Object.assign(window, { same: true }));
  // What notices an upgrade is loaded some seconds after the page.
  await page.waitForFunction(() => performance.getEntriesByType("resource").some((it) => /renew_/.test(it.name)));
  await server.drain();
  await page.waitForSelector(".connection-state:not(.online)", { state: "attached" });
  await server.restart(UPGRADED);
  await online(page);
}

/** The version in the addresses of the tab's modules. */
const version = (/** @type {import("playwright-core").Page} */ page) =>
  page.evaluate(() => document.querySelector("script[type=module]")?.getAttribute("src")?.split("/")[2]);

/** Whether the tab is the same document as before the upgrade. */
const isSame = (/** @type {import("playwright-core").Page} */ page) =>
  page.evaluate(() => /** @type {any} */ (window).same === true);

test("after an upgrade a link of an open page leads to the page's new version", async () => {
  server = await serve();
  const { page, clean } = await browser.newUser(server, { allow: FAILING });
  await page.goto("/");
  await page.waitForSelector(".game");
  const before = await version(page);
  await upgrade(page);
  await page.click("a.to-learn");
  await page.waitForSelector(".learn.of-learn");
  assert.equal(new URL(page.url()).pathname, "/learn");
  assert.notEqual(await version(page), before);
  await clean();
  await server.stop();
});

test("an upgrade does not disturb a running match or a typed text, and an unused page loads itself", async () => {
  server = await serve();
  const { page, clean } = await browser.newUser(server, { allow: FAILING });
  await page.addInitScript(() => Object.defineProperty(document, "hidden", { get: () => true }));
  await create(page, { game: "nim", position: "1,1", level: "novice" });
  await myTurn(page);
  const before = await version(page);
  await upgrade(page);
  // Longer than the page waits between two looks.
  await page.waitForTimeout(6_000);
  assert.ok(await isSame(page));
  await click(page, "take 1 from 1");
  // The match was the only thing that kept the old version.
  await page.waitForFunction(() => !(/** @type {any} */ (window).same));
  await over(page);
  assert.notEqual(await version(page), before);
  await clean();
  await server.stop();
});

test("a view with modules that are gone loads its address once", async () => {
  server = await serve();
  const { page, context, clean } = await browser.newUser(server, { allow: FAILING });
  await page.goto("/");
  await page.waitForSelector(".game");
  let loads = 0;
  await context.route(/\/learn$/, (route) => {
    loads++;
    return route.continue();
  });
  await context.route(/views\/learn\.js$/, (route) => route.fulfill({ status: 404 }));
  await page.click("a.to-learn");
  await page.waitForSelector("main .fault:has-text('cannot be loaded')");
  assert.equal(loads, 1);
  await context.unrouteAll();
  await page.reload();
  await page.waitForSelector(".learn.of-learn");
  await clean();
  await server.stop();
});
