// Two people on phones with little time for a move. At each step one acts while the other looks away.
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
/**
 * As long as somebody looks away before their first move, nobody loses and no clock runs.
 * @param {import("playwright-core").Page} page
 */
async function nothingIsLost(page) {
  await page.waitForTimeout(AWAY_MS);
  await page.waitForSelector(".first-move:visible");
  assert.equal(await page.locator(".notice.is-over, .clock.runs").count(), 0);
}

/** Invites a friend to a match that the one who invites begins. @param {import("playwright-core").Page} page */
async function invite(page) {
  await page.goto("/");
  await fillForm(page, { game: "nim", opponent: "friend", first: "me" }, "1,2,2");
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

test("from the invitation to the rematch, each looks away at the other's steps, and nobody loses unseen", async () => {
  const [ada, bo] = [await phone(), await phone()];

  /**
   * Somebody acts while the other one looks away, who is called, and looks again.
   * @type {(other: typeof ada, act: () => Promise<unknown>, isFirstMove?: boolean) => Promise<void>}
   */
  async function acts(other, act, isFirstMove = false) {
    await look(other.page, true);
    await act();
    await called(other.page);
    if (isFirstMove) await nothingIsLost(other === ada ? bo.page : ada.page);
    await look(other.page, false);
  }

  const first = await invite(ada.page);
  await bo.page.goto(first);
  // She sends the link in another app.
  await acts(ada, () => bo.page.click(".take-seat"), true);
  await myTurn(ada.page);
  await acts(bo, () => click(ada.page, "take 1 from 3"), true);
  await myTurn(bo.page);
  await acts(ada, () => click(bo.page, "take 1 from 1"));
  await myTurn(ada.page);
  assert.equal(await ada.page.locator(".clock.runs").count(), 1);
  await acts(bo, () => click(ada.page, "take 1 from 3"));
  await myTurn(bo.page);
  await acts(ada, () => click(bo.page, "take 1 from 2"));
  await myTurn(ada.page);
  await acts(bo, () => click(ada.page, "take 1 from 2"));

  for (const { page } of [ada, bo]) await over(page);
  await acts(ada, () => bo.page.click(".rematch"));
  await acts(
    bo,
    async () => {
      await ada.page.click(".rematch");
      await ada.page.waitForURL((url) => url.pathname !== first);
    },
    // He moves first in the rematch, of which he knows nothing yet.
    true,
  );
  await bo.page.waitForURL(ada.page.url());
  await myTurn(bo.page);
  await acts(ada, () => click(bo.page, "take 1 from 1"), true);
  await myTurn(ada.page);
  for (const user of [ada, bo]) await user.clean();
});
