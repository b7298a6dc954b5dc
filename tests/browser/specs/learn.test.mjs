// The pages for learning: a first hour by touch, by the keyboard alone and by what a screen reader is told, from a
// lesson over the first match, a puzzle and the flight of the day to the analysis board; and the single pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { english } from "../harness/languages.mjs";
import { online, over, wide } from "../harness/play.mjs";

const TABS_MOST = 120;
/** The most that is pressed until something ends. */
const STEPS_MOST = 60;

/**
 * A way to use the page: to press a button or a link, and to know what a state must fulfil.
 * @typedef {(page: import("playwright-core").Page, selector: string) => Promise<void>} Press
 */

/** @type {Record<string, { user: object, press: Press }>} */
const WAYS = {
  touch: {
    user: { width: 360, height: 740, touch: true, locale: "de-DE", scheme: "light" },
    press: async (page, selector) => page.locator(selector).first().tap(),
  },
  "the keyboard alone": {
    user: {},
    async press(page, selector) {
      await page.locator(selector).first().waitFor();
      for (let count = 0; count < TABS_MOST; count++) {
        if (await page.evaluate((selector) => !!document.activeElement?.matches(selector), selector)) {
          return page.keyboard.press("Enter");
        }
        await page.keyboard.press("Tab");
      }
      assert.fail(`Tab never reached ${selector}`);
    },
  },
  // Every choice is found by its role and its name alone.
  "the accessibility tree": {
    user: { width: 640, height: 410 },
    async press(page, selector) {
      const found = page.locator(selector).first();
      await found.waitFor();
      const role = await found.evaluate((element) => (element.tagName === "A" ? "link" : "button"));
      const name = await found.evaluate((element) => element.getAttribute("aria-label") ?? element.textContent ?? "");
      assert.ok(name.trim(), `${selector} has no name`);
      await page
        .getByRole(/** @type {any} */ (role), { name: name.trim(), exact: true })
        .first()
        .click();
    },
  },
};

/**
 * What is asked of each state that is reached.
 * @type {(page: import("playwright-core").Page, state: string) => Promise<void>}
 */
async function sound(page, state) {
  assert.deepEqual(await violations(page), [], state);
  assert.ok((await wide(page)) <= 0, `${state} scrolls sideways`);
  const isGerman = await page.evaluate(() => document.documentElement.lang === "de");
  assert.deepEqual(isGerman ? await english(page) : [], [], state);
}

/**
 * Solves the shown task with the moves that the page shows.
 * @type {(page: import("playwright-core").Page, press: Press) => Promise<void>}
 */
async function solve(page, press) {
  for (let step = 0; step < STEPS_MOST; step++) {
    await page.waitForSelector(".question .primary, .show-me, .bar.chosen");
    if (await page.locator(".question .primary:visible").count()) return;
    if (!(await page.locator(".bar.chosen, .show-me:visible").count())) continue;
    if (!(await page.locator(".bar.chosen").count())) await press(page, ".show-me");
    await page.waitForSelector(".bar.chosen .quiet");
    await press(page, ".bar.chosen .primary");
    await page.waitForSelector(".bar:not(.chosen)");
  }
  assert.fail("the task has no end");
}

/** Plays any moves until the match is over. @type {(page: import("playwright-core").Page) => Promise<void>} */
async function playToTheEnd(page) {
  for (let step = 0; step < STEPS_MOST; step++) {
    await page.waitForFunction(() => document.querySelector(".recorder:not([hidden]), .stage.mine [data-move]"));
    if (await page.locator(".recorder:not([hidden])").count()) return;
    const plies = await page.locator(".ply").count();
    await page.locator(".stage [data-move]").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".bar.chosen");
    await page.locator(".bar .primary").first().click();
    await page.waitForFunction((plies) => document.querySelectorAll(".ply").length > plies, plies);
  }
}

for (const [name, { user, press }] of Object.entries(WAYS)) {
  test(`a first hour by ${name}`, { timeout: 180_000 }, async () => {
    const { page, clean } = await browser.newUser(server, user);
    await page.goto("/");
    await online(page);
    await press(page, ".to-learn");
    await page.waitForSelector(".stop.is-here");
    await sound(page, "the lessons");

    await press(page, ".learn-head .primary");
    await page.waitForSelector(".lesson .bar.chosen");
    await sound(page, "the first step");
    await press(page, ".bar.chosen .primary");
    while (!(await page.locator(".lesson-steps li:last-child[aria-current]").count())) {
      await solve(page, press);
      await press(page, ".question .primary");
      await page.waitForSelector(".lesson .bar:not(.chosen), .lesson .bar.chosen");
    }
    await sound(page, "the match of a lesson");
    await press(page, ".lesson .question .primary");
    await page.waitForSelector(".match");
    await playToTheEnd(page);
    await over(page);
    await page.waitForSelector('.recorder .next-lesson[href^="/learn/"]');
    assert.match((await page.getAttribute(".from-here", "href")) ?? "", /^\/analyse\?game=nim&position=/);

    await page.goto("/learn");
    await page.waitForSelector(".stop.is-done");
    await press(page, '.learn-ways a[href^="/puzzle"]');
    await page.waitForURL(/\/puzzle\/fib-fob\/any\/\d+$/);
    await solve(page, press);
    await sound(page, "a solved puzzle");
    // It was shown, and so it is in the list.
    await page.waitForSelector(".missed li", { state: "attached" });

    await press(page, '.learn-ways a[href="/today"]');
    await page.waitForSelector(".fly");
    await sound(page, "the flight of the day");
    await press(page, ".fly");
    await page.waitForURL(/\/m\/\w+$/);
    await page.waitForSelector(".match");

    await page.goto("/analyse?game=nim&position=3,5,7");
    await page.waitForSelector(".lamps");
    await sound(page, "the analysis board");
    await press(page, ".analyse-side button.winning");
    await press(page, ".bar.chosen .primary");
    await page.waitForSelector(".tried li");
    assert.match(page.url(), /position=2%2C5%2C7$/);

    await page.goto("/learn/record");
    await page.waitForSelector(".record-total");
    await sound(page, "the record");
    await clean();
  });
}

test("a wrong move is answered on the board and taken back, and any winning one is right", async () => {
  const { page, clean } = await browser.newUser(server);
  await page.goto("/puzzle/nim/xor/5");
  await page.waitForSelector(".show-me");
  const before = await page.locator(".heap-count").allTextContents();
  const heaps = before.map(Number);
  const total = heaps.reduce((sum, one) => sum ^ one);
  const loses = heaps.findIndex((heap) => heap > 0 && (heap ^ total) !== heap - 1);
  await page
    .locator(`.stage [data-move="take 1 from ${loses + 1}"]`)
    .first()
    .focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".take-back");
  // Both moves are on the board, and what is left is lost for the reader.
  const after = (await page.locator(".heap-count").allTextContents()).map(Number);
  assert.equal(
    after.reduce((sum, one) => sum ^ one),
    0,
  );
  await page.keyboard.press("Enter");
  await page.waitForSelector(".show-me");
  assert.deepEqual(await page.locator(".heap-count").allTextContents(), before);
  const wins = heaps.findIndex((heap) => (heap ^ total) < heap);
  const taken = heaps[wins] - (heaps[wins] ^ total);
  await page
    .locator(`.stage [data-move="take ${taken} from ${wins + 1}"]`)
    .first()
    .focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".next-puzzle");
  await clean();
});

test("a link to a puzzle shows the same one again, and one that there is not is told of", async () => {
  const { page, clean } = await browser.newUser(server);
  const shown = async () => {
    await page.waitForSelector(".show-me");
    return page.locator(".heap-count").allTextContents();
  };
  await page.goto("/puzzle/nim/xor/77");
  const first = await shown();
  await page.reload();
  assert.deepEqual(await shown(), first);
  await page.goto("/puzzle/nim/sums/77");
  await page.waitForSelector(".nothing [role=alert]");
  await page.selectOption("#puzzle-grade", "any");
  await page.waitForURL(/\/puzzle\/nim\/any\/\d+$/);
  await shown();
  await clean();
});

test("the analysis board takes any position, up to the largest counters, and says what is wrong", async () => {
  const { page, clean } = await browser.newUser(server);
  await page.goto("/analyse?game=fib-fob");
  await page.waitForSelector(".analyse-side .verdict");
  const field = page.locator("#analyse-position");
  await field.fill("h8@8 time=9007199254740991 nuggets=9007199254740991 fib=9007199254740991 fob=1");
  await field.press("Enter");
  await page.waitForURL(/time%3D9007199254740991/);
  await page.waitForSelector(".analyse-side .verdict");
  await field.fill("h8@9");
  await field.press("Enter");
  await page.waitForSelector(".analyse-set .fault:not(:empty)");
  // A number by itself.
  await field.fill("c3@2 time=3 nuggets=1 fib=2 fob=1");
  await field.press("Enter");
  await page.waitForURL(/position=c3%402/);
  await page.locator(".counter input").last().fill("100");
  await page.waitForURL(/fob%3D100/);
  // The ship on its picture: any square, also those that no move leads to, and any board.
  await page.check(".analyse-set input[type=checkbox]");
  await page.locator('.stage [data-move="ship h8@2"]').click();
  await page.waitForURL(/position=h8%402\+time/);
  await page.locator('.stage [data-move="ship h8@3"] .lit-hit').click();
  await page.waitForURL(/position=h8%403\+time/);
  assert.equal(await page.locator(".tried li").count(), 0);
  await clean();
});

test("a flight's squares tell a win that was kept, one given away, and moves when none was left", async () => {
  const { page, clean } = await browser.newUser(server);
  const own = { state: "erased", code: "K7M2QX", moves: 4, slips: 1, line: "110-" };
  // The day's game differs from day to day; what became of the flight is told in place of the server.
  await page.routeWebSocket(/./, (socket) => {
    const wire = socket.connectToServer();
    wire.onMessage((text) => {
      const message = JSON.parse(String(text));
      socket.send(message.type === "today" ? JSON.stringify({ ...message, own, streak: 3 }) : text);
    });
  });
  await page.goto("/today");
  const words = await page.getAttribute(".squares", "aria-label");
  assert.equal(words, "Your moves: kept, kept, gave away, nothing left to keep");
  const looks = await page.locator(".square").evaluateAll((all) => all.map(({ className }) => className));
  assert.deepEqual(looks, ["square is-kept", "square is-kept", "square", "square is-none"]);
  const card = (await page.textContent(".flight-today .card")) ?? "";
  assert.match(card, /Your streak: 3 days\. The next flight begins in /);
  await sound(page, "a flight that was lost");
  await clean();
});

test("nothing of the pages for learning is loaded before one is opened", async () => {
  const { page, clean } = await browser.newUser(server);
  /** @type {string[]} */
  const loaded = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.goto("/");
  await page.waitForSelector(".today-card");
  await online(page);
  assert.deepEqual(
    loaded.filter((url) => url.includes("learn")),
    [],
  );
  await clean();
});
