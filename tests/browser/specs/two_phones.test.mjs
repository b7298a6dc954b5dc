// Two people on phones with 30 s for a move. At each step one acts while the other looks away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WITHIN } from "../harness/browser.mjs";
import { EACH_30_S, click, create, myTurn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

const EACH_MS = 30_000;
/**
 * How long somebody looks away before their first move: in the extended suite longer than a move may take. There a
 * clock also runs out, which ends the first match; elsewhere it is played to its end.
 */
const AWAY_MS = process.env.FIBFOB_PATIENT ? EACH_MS + 1_000 : 0;

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
 * @param {number} away   in milliseconds
 */
async function nothingIsLost(page, away) {
  await page.waitForTimeout(away);
  await page.waitForSelector(".first-move:visible");
  assert.equal(await page.locator(".notice.is-over, .clock.runs").count(), 0);
}

test("from the invitation to the rematch, each looks away at the other's steps, and nobody loses unseen", async () => {
  const [ada, bo] = [await phone(), await phone()];

  /**
   * Somebody acts while the other one looks away, who is called, and looks again. If the other one has yet to make the
   * first move, `away` is for how long.
   * @type {(other: typeof ada, act: () => Promise<unknown>, away?: number) => Promise<void>}
   */
  async function acts(other, act, away) {
    await look(other.page, true);
    await act();
    await called(other.page);
    if (away !== undefined) await nothingIsLost(other === ada ? bo.page : ada.page, away);
    await look(other.page, false);
  }

  const options = { game: "nim", position: "1,2,2", opponent: "friend", time: EACH_30_S };
  const first = await create(ada.page, options);
  await bo.page.goto(first);
  // She sends the link in another app.
  await acts(ada, () => bo.page.click(".take-seat"), AWAY_MS);
  await myTurn(ada.page);
  await acts(bo, () => click(ada.page, "take 1 from 3"), 0);
  await myTurn(bo.page);
  await acts(ada, () => click(bo.page, "take 1 from 1"));
  await myTurn(ada.page);
  assert.equal(await ada.page.locator(".clock.runs").count(), 1);
  await acts(bo, () => click(ada.page, "take 1 from 3"));
  await myTurn(bo.page);
  if (AWAY_MS) await acts(bo, () => over(ada.page, { timeout: EACH_MS + WITHIN }));
  else {
    await acts(ada, () => click(bo.page, "take 1 from 2"));
    await myTurn(ada.page);
    await acts(bo, () => click(ada.page, "take 1 from 2"));
  }

  for (const { page } of [ada, bo]) await over(page);
  await acts(ada, () => bo.page.click(".rematch"));
  await acts(
    bo,
    async () => {
      await ada.page.click(".rematch");
      await ada.page.waitForURL((url) => url.pathname !== first);
    },
    // He moves first in the rematch, of which he knows nothing yet.
    AWAY_MS,
  );
  await bo.page.waitForURL(ada.page.url());
  await myTurn(bo.page);
  await acts(ada, () => click(bo.page, "take 1 from 1"), 0);
  await myTurn(ada.page);
  for (const user of [ada, bo]) await user.clean();
});
