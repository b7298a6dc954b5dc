// One law: while a player has a running match, every address of the page shows a line that leads to it, and the title
// is marked. After the end the line says what became of it, until the player has looked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, createWith, fillForm, myTurn, online, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { ROUTES } from "../../../server/web/routes.js";

const EACH_MS = 10_000;
/** The cumulative layout shift of the line, with what the view itself shows of the match. */
const SHIFT_MAX = 0.01;
const LOOKS = [
  {
    look: { width: 390, height: 844, scheme: "light", touch: true },
    running: /^Your move against .+0:\d\d$/,
    ended: /^You lost against .+ \(out of time\)$/,
  },
  {
    look: { width: 1366, height: 768, scheme: "dark", locale: "de-DE" },
    running: /^Dein Zug gegen .+0:\d\d$/,
    ended: /^Verloren gegen .+ \(Zeit abgelaufen\)$/,
  },
];
/** Dialogs, which cover a view: each with the button that opens it. */
const DIALOGS = [".top-side .icon", ".more-options"];
/** What stands for the parts of an address that are any text. */
const PARTS = { lesson: "last-move", game: "nim", grade: "any", seed: "7" };

/** @typedef {import("playwright-core").Page} Page */

/** Returns the addresses of the page, from its own list. @param {Record<string, string>} parts */
function addresses(parts) {
  return ROUTES.map(([address]) =>
    address.replaceAll(/:(\w+)/g, (_, part) => {
      assert.ok(parts[part], `the test needs an example of ":${part}" in ${address}`);
      return parts[part];
    }),
  );
}

/**
 * Returns what is wrong with the line of a page, which has to be seen whole; undefined if all is right.
 * @type {(page: Page, words: RegExp) => Promise<string | undefined>}
 */
async function fault(page, words) {
  const found = await page.evaluate(() => {
    const line = document.querySelector(".live-line");
    const text = line?.querySelector(".live-words");
    if (!line || !text) return null;
    const { left, top, right, bottom } = line.getBoundingClientRect();
    const isSeenAt = (/** @type {number} */ part) =>
      line.contains(document.elementFromPoint(left + part * (right - left), (top + bottom) / 2));
    return {
      text: [...line.children].map((part) => part.textContent).join(""),
      isInside: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
      isWhole: text.scrollHeight <= text.clientHeight + 1,
      isOnTop: [0.05, 0.25, 0.5, 0.75, 0.95].every(isSeenAt),
      title: document.title,
    };
  });
  if (!found) return "there is no line";
  if (!words.test(found.text)) return `the line says "${found.text}"`;
  if (!found.isInside || !found.isWhole || !found.isOnTop) return `not all is seen: ${JSON.stringify(found)}`;
  return found.title.startsWith("● ") ? undefined : `the title is "${found.title}"`;
}

/** Invites a friend to a match with little time for each move. Returns its path. @param {Page} page */
async function invite(page) {
  await page.goto("/");
  await fillForm(page, { game: "nim", opponent: "friend", first: "me" }, "3,4,5");
  await page.evaluate(
    (time) => /** @type {HTMLOptionElement} */ (document.querySelector("#create-time option").value = time),
    JSON.stringify({ move: { each_ms: EACH_MS } }),
  );
  await page.click(".create-form button.primary");
  await page.waitForSelector(".link");
  return new URL(page.url()).pathname;
}

/**
 * Lets the friend come and both move once, so that the clock of the one who invited runs.
 * @type {(ada: Page, bo: Page) => Promise<void>}
 */
async function play(ada, bo) {
  await bo.click(".take-seat");
  await myTurn(ada);
  await click(ada, "take 1 from 1");
  await myTurn(bo);
  await click(bo, "take 1 from 2");
}

for (const { look, running, ended } of LOOKS) {
  test(`every address shows a running match and its end: ${look.width}x${look.height}`, async () => {
    const ada = await browser.newUser(server, look);
    const bo = await browser.newUser(server);
    const cy = await browser.newUser(server);
    const code = (await create(cy.page, { game: "nim", position: "3,4,5" })).slice("/m/".length);
    const path = await invite(ada.page);
    await bo.page.goto(path);

    /** @type {{ name: string, page: Page }[]} */
    const tabs = [];
    for (const address of addresses({ ...PARTS, code })) {
      const page = await ada.context.newPage();
      await page.goto(address);
      tabs.push({ name: address, page });
    }
    for (const button of DIALOGS) {
      const page = await ada.context.newPage();
      await page.goto("/");
      await page.click(button);
      await page.waitForSelector("dialog[open]");
      tabs.push({ name: `the dialog of ${button}`, page });
    }
    for (const { page } of tabs) {
      await online(page);
      await page.waitForSelector("main .loading", { state: "detached" });
      await page.evaluate(() => {
        Object.assign(window, { shifted: 0 });
        new PerformanceObserver((list) => {
          for (const { value } of /** @type {any} */ (list.getEntries())) /** @type {any} */ (window).shifted += value;
        }).observe({ type: "layout-shift" });
      });
    }

    /** Looks at all tabs once the first one shows the words. @param {RegExp} words */
    async function lookAround(words) {
      await tabs[0].page.waitForFunction(
        (source) => {
          const parts = [...(document.querySelector(".live-line")?.children ?? [])];
          return new RegExp(source).test(parts.map((part) => part.textContent).join(""));
        },
        words.source,
        { polling: 50 },
      );
      // The other tabs hear of it at the same time, and only the machine is slower.
      const faults = await Promise.all(
        tabs.map(async ({ name, page }) => {
          await page.waitForFunction(
            (source) => new RegExp(source).test(document.querySelector(".live-words")?.textContent ?? ""),
            words.source.replace(/\.\+0:.*/, ""),
          );
          return [name, await fault(page, words)];
        }),
      );
      assert.deepEqual(
        faults.filter(([, what]) => what),
        [],
      );
    }

    await play(ada.page, bo.page);
    // In this tab she would see the end.
    await ada.page.close();
    await lookAround(running);
    for (const [index, { page }] of tabs.entries()) await picture(page, `live-${look.width}-${index}`);
    await lookAround(ended);
    for (const { name, page } of tabs) {
      const shifted = await page.evaluate(() => /** @type {any} */ (window).shifted);
      assert.ok(shifted <= SHIFT_MAX, `${name} has shifted by ${shifted}`);
    }

    // The start page opens with it, also after a reload, in its first window.
    const [{ page }] = tabs;
    await page.reload();
    const entry = page.locator(`.own .entry.calls[href="${path}"]`).first();
    await entry.waitFor();
    const box = await entry.boundingBox();
    assert.ok(box && box.y + box.height <= look.height, `the end is at ${JSON.stringify(box)}`);
    await page.waitForSelector(".live-line");
    await picture(page, `live-home-${look.width}`);

    // One look is enough for all tabs.
    await page.click(".live-line");
    await over(page);
    for (const { name, page } of tabs) {
      await page
        .waitForFunction(() => !document.querySelector(".live-line") && !document.title.startsWith("●"), null, {
          polling: 100,
        })
        .catch(() => assert.fail(`${name} still shows the match`));
    }
    await page.goto("/");
    await online(page);
    await page.waitForSelector(".game");
    assert.equal(await page.locator(".live-line, .own .entry.calls").count(), 0);
    for (const user of [ada, bo, cy]) await user.clean();
  });
}

test("on a phone the heading of another match covers no line, also of a match without a clock", async () => {
  const ada = await browser.newUser(server, LOOKS[0].look);
  const bo = await browser.newUser(server);
  await createWith(ada.page, bo.page, { game: "nim", position: "3,4,5" });
  for (const game of ["fib-fob", "nim", "misere-fibonacci-nim"]) {
    await create(ada.page, { game });
    await ada.page.waitForSelector(".live-line");
    assert.equal(await fault(ada.page, /^Your move against /), undefined);
    // The rules are still at hand.
    await ada.page.click(".how-button");
    await ada.page.waitForSelector(".how-sheet");
  }
  for (const user of [ada, bo]) await user.clean();
});

test("an end that came while no page was open is told when one is opened", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const path = await invite(ada.page);
  await bo.page.goto(path);
  await play(ada.page, bo.page);
  await ada.page.goto("about:blank");
  await over(bo.page);
  await ada.page.goto("/learn");
  await ada.page.waitForSelector(".live-line:has-text('You lost against')");
  assert.match((await ada.page.textContent("#polite")) ?? "", /^You lost against/);
  await ada.page.click(".live-line");
  await over(ada.page);
  assert.equal(new URL(ada.page.url()).pathname, path);
  await ada.page.waitForFunction(() => !document.querySelector(".live-line"));
  for (const user of [ada, bo]) await user.clean();
});
