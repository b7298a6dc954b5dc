// The accessibility engine axe finds no violation in any state of the page, in both themes and both languages. The
// start page, a match with a choice, learning and replay are in accessibility.test.mjs. In German none of these states
// has an English text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { english } from "../harness/languages.mjs";
import { click, create, fillForm, myTurn, online, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {{ ada: Page, bo: Page }} Pair
 */

const NIM = { game: "nim", position: "3,4,5" };

/** @param {Pair} pair */
async function seated({ ada, bo }, terms = {}) {
  const path = await create(ada, { ...NIM, opponent: "friend", ...terms });
  await bo.goto(path);
  await bo.click(".take-seat");
}

/**
 * Each state and how Ada's page comes into it.
 * @type {[string, (pair: Pair) => Promise<unknown>][]}
 */
const STATES = [
  [
    "settings",
    async ({ ada }) => {
      await ada.goto("/");
      await online(ada);
      await ada.click(".top-side .icon");
      await ada.click(".other-devices summary");
      await ada.waitForSelector(".devices");
    },
  ],
  [
    "an error of the form",
    async ({ ada }) => {
      await ada.goto("/");
      await fillForm(ada, {}, "no position");
      await ada.click(".create-form button.primary");
      await ada.waitForSelector(".create-form .fault:not(:empty)");
    },
  ],
  [
    "waiting",
    async ({ ada }) => {
      await create(ada, { ...NIM, opponent: "friend" });
      await ada.waitForSelector(".show-qr");
    },
  ],
  ["the QR code", async ({ ada }) => ada.click(".show-qr")],
  [
    "a free seat",
    async ({ ada, bo }) => {
      const path = await create(bo, { ...NIM, opponent: "friend" });
      await ada.goto(path);
      await ada.waitForSelector(".take-seat");
    },
  ],
  [
    "the rules",
    async ({ ada }) => {
      await ada.click(".how-button");
      await ada.waitForSelector(".how-sheet");
    },
  ],
  [
    "the choice of the first move",
    async ({ ada, bo }) => {
      await seated({ ada: bo, bo: ada }, { position: "", first: "choose" });
      await ada.waitForSelector(".move-first");
    },
  ],
  [
    "a takeback asked for, and talk",
    async ({ ada, bo }) => {
      await seated({ ada: bo, bo: ada });
      await myTurn(bo);
      await click(bo, "take 1 from 1");
      await myTurn(ada);
      await bo.click(".takeback:not(:disabled)");
      await bo.selectOption(".chat select", "good-luck");
      await bo.click(".chat form:has(select) button");
      await ada.waitForSelector(".no");
      await ada.waitForSelector(".chat-lines b");
    },
  ],
  [
    "over, with a rematch offered",
    async ({ ada, bo }) => {
      await ada.click(".no");
      // The refusal ends a question about resigning, so it must have come before.
      await bo.waitForSelector(".takeback:not(:disabled)");
      await bo.click(".resign");
      await bo.click(".resign");
      await over(bo);
      await bo.click(".rematch");
      await ada.waitForSelector(".notice .offer:not(:empty)");
    },
  ],
  [
    "a ripe claim",
    async ({ ada, bo }) => {
      await seated({ ada, bo }, { first: "other", grace: 10_000 });
      await ada.waitForSelector(".seat:nth-child(2) .dot.here");
      await bo.goto("about:blank");
      await ada.waitForSelector(".claim");
    },
  ],
  [
    "an unknown code",
    async ({ ada }) => {
      await ada.goto("/m/ZZZZZZ");
      await ada.waitForSelector(".nothing");
    },
  ],
  [
    "offline",
    async ({ ada }) => {
      await create(ada, NIM);
      await myTurn(ada);
      await ada.routeWebSocket(/\/ws$/, (socket) => socket.close());
      await ada.reload();
      await ada.waitForSelector("html.offline");
    },
  ],
];

for (const scheme of ["dark", "light"]) {
  for (const locale of ["en-GB", "de-DE"]) {
    test(`no state has accessibility violations, ${scheme}, ${locale}`, async () => {
      const users = await Promise.all(
        [1, 2].map(() => browser.newUser(server, { scheme, locale, allow: /404|WebSocket/ })),
      );
      const [ada, bo] = users.map(({ page }) => page);
      for (const [name, enter] of STATES) {
        await enter({ ada, bo });
        assert.deepEqual(await violations(ada), [], name);
        if (locale === "de-DE") assert.deepEqual(await english(ada), [], name);
      }
      for (const user of users) await user.clean();
    });
  }

  test(`no game's picture has accessibility violations, ${scheme}`, async () => {
    const games = await (await fetch(`${server.base}/api/games`)).json();
    const locale = scheme === "dark" ? "de-DE" : "en-GB";
    const user = await browser.newUser(server, { scheme, locale });
    for (const { id, example, example_move: exampleMove } of games) {
      await create(user.page, { game: id, position: example });
      await myTurn(user.page);
      await user.page.fill(".typed input", exampleMove);
      await user.page.press(".typed input", "Enter");
      await user.page.waitForSelector(".bar.chosen");
      assert.deepEqual(await violations(user.page), [], id);
      if (locale === "de-DE") assert.deepEqual(await english(user.page), [], id);
    }
    await user.clean();
  });
}
