// "How to play": every game's sheet draws each kind of move; it opens by itself at the first match of a game.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, myTurn, over } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

for (const [locale, width] of /** @type {const} */ ([
  ["en-GB", 1440],
  ["de-DE", 360],
])) {
  test(`every game has a sheet of rules with whole drawings, ${locale}, ${width} pixels wide`, async () => {
    const games = await (await fetch(`${server.base}/api/games`)).json();
    const scheme = locale === "en-GB" ? "dark" : "light";
    const { page, clean } = await browser.newUser(server, { locale, width, scheme });
    for (const { id, example, convention } of games) {
      await create(page, { game: id, position: example });
      await myTurn(page);
      assert.equal(await page.locator(".how-sheet").count(), 0, "whoever knows the rules is not shown them");
      await page.click(".how-button");
      await page.waitForSelector(".how-sheet .how-moves li");
      const empty = await page.$$eval(
        ".how-moves .game-picture",
        (frames) => frames.filter((frame) => !frame.querySelector("svg, button")).length,
      );
      assert.equal(empty, 0, `${id}: an empty drawing`);
      const cut = await page.$$eval(".how-moves .game-picture", (frames) =>
        frames.flatMap((frame) => {
          const { left, right, top, bottom } = frame.getBoundingClientRect();
          const boxes = [...frame.querySelectorAll("*")].map((part) => part.getBoundingClientRect());
          return boxes.filter(
            (box) =>
              box.width > 0 &&
              (box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1),
          );
        }),
      );
      assert.deepEqual(cut, [], `${id}: a drawing is cut off`);
      const goal = (await page.textContent(".how-goal")) ?? "";
      assert.equal(/LOSES|VERLIERT/.test(goal), convention === "misere", `${id}: ${goal}`);
      assert.equal(await page.locator(".goal.is-misere").count(), Number(convention === "misere"), id);
      if (["fib-fob", "misere-nim"].includes(id)) await picture(page, `rules-${id}-${locale}`);
      await page.keyboard.press("Escape");
      await page.waitForSelector(".how-sheet", { state: "detached" });
    }
    await clean();
  });
}

test("the first match of a game begins with its rules, and the second one does not", async () => {
  const ada = await browser.newUser(server, { rules: true });
  await create(ada.page, { game: "nim", position: "3,4,5" });
  await ada.page.waitForSelector(".how-sheet");
  // The cards stand beside the picture: a touch of it is a move, and closes them.
  await ada.page.click('[data-move="take 1 from 1"]');
  await ada.page.waitForSelector(".bar.chosen");
  assert.equal(await ada.page.locator(".how-sheet").count(), 0);
  await create(ada.page, { game: "nim", position: "3,4,5" });
  await myTurn(ada.page);
  assert.equal(await ada.page.locator(".how-sheet").count(), 0);
  await ada.clean();
});

test("on a phone the rules leave the ship's last square in sight, and can be closed in the lowest window", async () => {
  const { page, clean } = await browser.newUser(server, { width: 390, height: 844, touch: true, rules: true });
  await create(page, { position: "a3@1 time=9 nuggets=0 fib=3 fob=2" });
  await page.waitForSelector(".how-sheet");
  await page.setViewportSize({ width: 390, height: 340 });
  const top = await page.$eval(".how-done", (button) => button.getBoundingClientRect().top);
  assert.ok(top >= 0, `"Got it" is ${-top} pixels above the window`);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.tap('[data-move="ship a1@1"]');
  await page.waitForSelector(".bar.chosen");
  await clean();
});

test("an invited friend sees the rules after joining, and a spectator does not", async () => {
  const ada = await browser.newUser(server, { rules: true });
  const bo = await browser.newUser(server, { rules: true, width: 390, height: 844 });
  const cy = await browser.newUser(server, { rules: true });
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend" });
  await ada.page.waitForSelector(".inviting .how-moves li");
  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await bo.page.waitForSelector(".how-sheet");
  await picture(bo.page, "rules-phone");
  assert.ok(await bo.page.evaluate(() => document.activeElement?.matches(".how-done")));
  await bo.page.click(".how-done");
  await myTurn(ada.page);
  assert.equal(await ada.page.locator(".how-sheet").count(), 0);
  await cy.page.goto(path);
  await cy.page.waitForSelector(".seat.on-turn");
  assert.equal(await cy.page.locator(".how-sheet").count(), 0);
  for (const user of [ada, bo, cy]) await user.clean();
});

test("open rules close when the match needs the player, and when it ends", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server, { rules: true, width: 390, height: 844, touch: true });
  const path = await create(ada.page, { game: "nim", position: "3,4,5", opponent: "friend" });
  await bo.page.goto(path);
  await bo.page.tap(".take-seat");
  await bo.page.waitForSelector(".how-sheet");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 1");
  await myTurn(bo.page);
  await bo.page.waitForSelector(".how-sheet", { state: "detached" });
  // Opened on the own turn they stay, until the match is over.
  await bo.page.tap(".how-button");
  await bo.page.waitForSelector(".how-sheet");
  await ada.page.click(".resign");
  await ada.page.click(".resign");
  await over(bo.page);
  assert.equal(await bo.page.locator(".how-sheet").count(), 0);
  for (const user of [ada, bo]) await user.clean();
});

test("tooltips say what screen readers hear", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { position: "c3@3 time=6 nuggets=1 fib=9 fob=4" });
  await myTurn(page);
  const different = await page.$$eval(".stage button[aria-label], .match-head button[aria-label]", (buttons) =>
    buttons
      .filter((button) => !button.disabled && button.title && button.title !== button.getAttribute("aria-label"))
      .map((button) => `${button.title} ≠ ${button.getAttribute("aria-label")}`),
  );
  assert.deepEqual(different, []);
  assert.ok(await page.locator(".tank-part button[title]").count());
  await clean();
});
