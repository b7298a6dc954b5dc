// Events of a match move no control under the pointer: on phones and wide screens, in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, myTurn, over, sees, turn } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

const SIZES = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
];
const LOOKS = [
  { locale: "en-GB", scheme: "dark" },
  { locale: "de-DE", scheme: "light" },
];
/** Elements that must keep their place and size. */
const KEPT = [
  ".stage",
  ".stack",
  ".dial-part .controls",
  ".tanks",
  ".moves-panel",
  ".walk",
  ".typed-panel",
  ".typed",
  ".players",
  ".share",
  ".seat",
  ".top .name",
];
/** Errors that Chromium logs for failed connections; in these tests connections fail on purpose. */
const FAILING = /WebSocket connection to|ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED/;

/**
 * Returns the places once the page is laid out: a change of a size is noticed in the frame after it.
 * @param {import("playwright-core").Page} page
 */
function places(page) {
  return page.evaluate(async (kept) => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const found = {};
    for (const name of kept) {
      for (const [index, element] of [...document.querySelectorAll(name)].entries()) {
        const { x, y, width, height } = element.getBoundingClientRect();
        if (width && height) {
          found[`${name} ${index}`] = [x + scrollX, y + (element.closest(".top") ? 0 : scrollY), width, height]
            .map((value) => Math.round(value))
            .join(" ");
        }
      }
    }
    return found;
  }, KEPT);
}

test("no event of a match moves its picture or its controls", async () => {
  const bo = await browser.newUser(server, { allow: FAILING });
  const path = await create(bo.page, {
    position: "c3@3 time=2 nuggets=1 fib=2 fob=1",
    opponent: "friend",
    first: "other",
  });

  // One player with the match open on several screens at once.
  /** @type {{ name: string, page: import("playwright-core").Page }[]} */
  const views = [];
  const players = [];
  let token = "";
  for (const look of LOOKS) {
    const ada = await browser.newUser(server, { ...look, ...SIZES[0], allow: FAILING });
    players.push(ada);
    if (token) {
      await ada.context.addInitScript(
        (token) => location.protocol === "http:" && localStorage.setItem("fibfob.token", token),
        token,
      );
    }
    await ada.page.goto(path);
    if (!token) {
      await ada.page.click(".take-seat");
      token = await ada.page.evaluate(() => localStorage.getItem("fibfob.token"));
    }
    const pages = await Promise.all(SIZES.map((_, index) => (index ? ada.context.newPage() : ada.page)));
    for (const [index, page] of pages.entries()) {
      await page.setViewportSize(SIZES[index]);
      if (index) await page.goto(path);
      await myTurn(page);
      views.push({ name: `${SIZES[index].width} ${look.locale}`, page });
    }
  }
  const faults = [];
  let kept = await Promise.all(views.map(({ page }) => places(page)));
  /**
   * @param {string} what
   * @param {() => Promise<unknown>} act
   * @param {(page: import("playwright-core").Page) => Promise<unknown>} seen
   * @param {boolean} [shown] as a picture too
   */
  async function change(what, act, seen, shown = false) {
    await act();
    await Promise.all(views.map(({ page }) => seen(page)));
    const now = await Promise.all(views.map(({ page }) => places(page)));
    for (const [index, { name, page }] of views.entries()) {
      for (const [place, was] of Object.entries(kept[index])) {
        if (now[index][place] !== was) {
          faults.push(`${what}, ${name}: ${place} was at ${was}, is at ${now[index][place]}`);
        }
      }
      if (shown) await picture(page, `still-${name.replaceAll(" ", "-")}-${what.replaceAll(/\W+/g, "-")}`);
    }
    kept = now;
  }
  const has = (selector) => (page) => page.waitForSelector(selector, { state: "attached" });
  const watched = (count) => (page) =>
    page.waitForFunction((count) => (document.querySelector(".watchers")?.textContent ?? "").startsWith(count), count);

  const watchers = [];
  for (const count of [1, 2]) {
    const cy = await browser.newUser(server, { allow: FAILING });
    watchers.push(cy);
    await change(`watcher ${count} comes`, () => cy.page.goto(path), watched(String(count)));
  }
  await change("the other one goes away", () => bo.page.goto("about:blank"), has(".seat:nth-child(2) .dot:not(.here)"));
  await change("the other one is back", () => bo.page.goto(server.base + path), has(".seat:nth-child(2) .dot.here"));
  await change(
    "a move is chosen",
    () => Promise.all(views.map(({ page }) => page.click('.stage [data-move="ship a3@3"]'))),
    has(".bar.chosen .quiet:not(:empty)"),
  );
  await change(
    "the choice is dropped",
    () => Promise.all(views.map(({ page }) => page.keyboard.press("Escape"))),
    has(".bar:not(.chosen)"),
  );
  /** Opens or closes the moves, which small windows do not show beside the boards. */
  async function toggleMoves() {
    for (const { page } of views) if (await page.isVisible(".tab.of-moves")) await page.click(".tab.of-moves");
    kept = await Promise.all(views.map(({ page }) => places(page)));
  }

  await toggleMoves();
  await change(
    "giving up is asked about",
    () => views[0].page.click(".resign"),
    () => Promise.resolve(),
  );
  await toggleMoves();
  await change(
    "a move is made",
    () => click(views[0].page, "ship a3@3"),
    (page) => sees(page, 1),
  );
  await myTurn(bo.page);
  await change("a move is answered", () => turn(bo.page, "Home"), myTurn);
  await toggleMoves();
  await change(
    "the past is looked at",
    () => Promise.all(views.map(({ page }) => page.click(".walk button"))),
    has(".stage.past"),
  );
  await change(
    "the present again",
    () => Promise.all(views.map(({ page }) => page.click(".turn button"))),
    has(".stage.mine"),
  );
  await change("the line breaks", () => server.kill(), has("html.offline"));
  await change("the line is back", () => server.restart(), has("html:not(.offline) .seat:nth-child(2) .dot.here"));
  await change("the last watcher goes", () => Promise.all(watchers.map((cy) => cy.clean())), has(".watchers:empty"));

  for (const { page } of views.slice(0, 1)) await page.click(".resign");
  await views[0].page.click(".resign");
  await Promise.all(views.map(({ page }) => over(page)));
  // The end has closed the moves.
  await toggleMoves();
  await over(bo.page);
  await change("a rematch is offered", () => bo.page.click(".rematch"), has(".notice .offer:not(:empty)"), true);
  await change(
    "the past of a finished match",
    () => Promise.all(views.map(({ page }) => page.click(".walk button"))),
    has(".stage.past"),
  );

  assert.deepEqual(faults, []);
  for (const user of [...players, bo]) await user.clean();
});

test("the lobby updates without moving anything below it, or a row under the mouse", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const first = await create(bo.page, { game: "nim", position: "3,5", opponent: "open" });
  await ada.page.goto("/");
  const entry = ada.page.locator(`.entry[href="${first}"]`);
  await entry.hover();
  const [was, below] = [await entry.boundingBox(), await ada.page.locator(".family").boundingBox()];

  const second = await create(bo.page, { game: "nim", position: "4,5", opponent: "open" });
  // The third match is newer than the second one, so the first list has been updated since.
  const third = await create(bo.page, { game: "nim", position: "4,5" });
  await ada.page.waitForSelector(`.entry[href="${third}"]`);
  assert.deepEqual(await entry.boundingBox(), was);

  await ada.page.mouse.move(5, 5);
  await ada.page.waitForSelector(`.entry[href="${second}"]`);
  assert.deepEqual(await ada.page.locator(".family").boundingBox(), below);
  for (const user of [ada, bo]) await user.clean();
});
