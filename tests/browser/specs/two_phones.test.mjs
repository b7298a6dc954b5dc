// Two people on phones with little time for a move, of whom one looks away at each step: nobody loses unseen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, fillForm, myTurn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** The time for a move, and a longer one in which somebody looks away. */
const EACH_MS = 5_000;
const AWAY_MS = EACH_MS + 1_000;

/** A phone whose page can be told that nobody looks at it. */
async function phone() {
  const user = await browser.newUser(server, { width: 390, height: 844, touch: true });
  await user.context.addInitScript(() => {
    const isAway = () => location.protocol === "http:" && sessionStorage.getItem("away") === "true";
    Object.defineProperty(document, "hidden", { get: isAway });
    Object.defineProperty(document, "visibilityState", { get: () => (isAway() ? "hidden" : "visible") });
  });
  return user;
}

/** @param {import("playwright-core").Page} page @param {boolean} away */
function look(page, away) {
  return page.evaluate((away) => {
    sessionStorage.setItem("away", String(away));
    document.dispatchEvent(new Event("visibilitychange"));
  }, away);
}

/** The player is called by the title. @param {import("playwright-core").Page} page */
const called = (page) => page.waitForFunction(() => document.title.startsWith("●"));
/** A clock of the match runs. @param {import("playwright-core").Page} page */
const runs = (page) => page.waitForSelector(".clock.runs");

/** As long as somebody looks away, nobody loses and no clock runs. @param {import("playwright-core").Page} page */
async function nothingIsLost(page) {
  await page.waitForTimeout(AWAY_MS);
  assert.equal(await page.locator(".notice.is-over, .clock.runs").count(), 0);
}

/** Invites a friend to a match that the one who invites begins. @param {import("playwright-core").Page} page */
async function invite(page) {
  await page.goto("/");
  await fillForm(page, { game: "nim", opponent: "friend", first: "me" }, "1,2");
  await page.evaluate(
    (time) => {
      const option = /** @type {HTMLOptionElement} */ (document.querySelector("#create-time option"));
      option.value = time;
    },
    JSON.stringify({ move: { each_ms: EACH_MS } }),
  );
  await page.click(".create-form button.primary");
  await page.waitForSelector(".link");
  return new URL(page.url()).pathname;
}

test("from the invitation to the rematch, nobody loses on time while they look away", async () => {
  const [ada, bo] = [await phone(), await phone()];
  const first = await invite(ada.page);
  // She sends the link in another app.
  await look(ada.page, true);
  await bo.page.goto(first);
  await bo.page.click(".take-seat");
  await called(ada.page);
  await nothingIsLost(bo.page);
  await look(ada.page, false);
  await myTurn(ada.page);
  await runs(bo.page);
  await look(bo.page, true);
  await click(ada.page, "take 1 from 2");
  await called(bo.page);
  await look(bo.page, false);
  await myTurn(bo.page);
  await click(bo.page, "take 1 from 1");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 2");

  for (const { page } of [ada, bo]) await over(page);
  await look(ada.page, true);
  await bo.page.click(".rematch");
  await called(ada.page);
  await look(bo.page, true);
  await look(ada.page, false);
  await ada.page.click(".rematch");
  await ada.page.waitForURL((url) => url.pathname !== first);
  await called(bo.page);
  // He moves first in the rematch, of which he knows nothing yet.
  await nothingIsLost(ada.page);
  await look(bo.page, false);
  await bo.page.waitForURL(ada.page.url());
  await runs(ada.page);
  await myTurn(bo.page);
  for (const user of [ada, bo]) await user.clean();
});

test("a friend who joins while the page is elsewhere, is loaded anew or is closed starts no clock", async () => {
  const [ada, bo] = [await phone(), await phone()];
  const elsewhere = {
    "on the start page": () => ada.page.click("a.brand"),
    "loading anew": () => ada.page.goto("/"),
    closed: () => ada.page.goto("about:blank"),
    "loaded behind others": async () => {
      await look(ada.page, true);
      await ada.page.reload();
      await ada.page.waitForSelector(".link");
    },
  };
  for (const [where, go] of Object.entries(elsewhere)) {
    const path = await invite(ada.page);
    await go();
    await bo.page.goto(path);
    await bo.page.click(".take-seat");
    await nothingIsLost(bo.page);
    await ada.page.goto(path);
    await look(ada.page, false);
    await runs(ada.page);
    await myTurn(ada.page);
    assert.ok(await bo.page.locator(".clock.runs").count(), where);
  }
  for (const user of [ada, bo]) await user.clean();
});
