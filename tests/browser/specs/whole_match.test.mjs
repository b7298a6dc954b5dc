// Two players finish a match of Fib Fob by clicking, with a late spectator and a rematch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, myTurn, over, sees, turn } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

test("two pages play a whole match, and a late spectator sees all of it", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server, { scheme: "light" });
  const cy = await browser.newUser(server);

  const path = await create(ada.page, { position: "c3@3 time=2 nuggets=1 fib=2 fob=1", opponent: "friend" });
  const link = (await ada.page.textContent(".link")) ?? "";
  assert.equal(link, server.base + path);
  const kept = await ada.page.evaluate(() => localStorage.getItem("fibfob.token"));
  assert.ok(kept && !link.includes(kept.split(".")[0]));

  await bo.page.goto(link);
  await bo.page.click(".take-seat");
  await myTurn(ada.page);

  const moves = [
    (page) => click(page, "ship a3@3"),
    (page) => turn(page, "Home"),
    (page) => click(page, "ship a3@1"),
    (page) => click(page, "eject fib"),
    (page) => turn(page, "ArrowRight"),
    (page) => click(page, "ship a1@1"),
    (page) => click(page, "spend fob"),
  ];
  for (const [index, move] of moves.entries()) {
    const [mover, other] = index % 2 === 0 ? [ada.page, bo.page] : [bo.page, ada.page];
    await myTurn(mover);
    if (index === 1) await picture(mover, "match-light");
    await move(mover);
    await sees(other, index + 1);
  }

  await cy.page.goto(link);
  await sees(cy.page, moves.length);
  assert.equal(await cy.page.locator(".stage [data-move]").count(), 0);
  await ada.page.waitForFunction(() => document.querySelector(".watchers")?.textContent?.startsWith("1"));

  await myTurn(bo.page);
  await click(bo.page, "time -1");
  for (const { page } of [ada, bo, cy]) await over(page);
  assert.match(await ada.page.textContent(".notice h2"), /erased/);
  assert.match(await bo.page.textContent(".notice h2"), /won/);
  assert.match(await cy.page.textContent(".notice p"), /is erased from reality/);
  await cy.page.waitForSelector(".track-cell.here");
  await picture(ada.page, "end");

  await ada.page.click(".rematch");
  await bo.page.waitForSelector(".notice .offer:not(:empty)");
  await bo.page.click(".rematch");
  // The one who accepts goes at once, and the other one after some seconds without a touch.
  await bo.page.waitForURL((url) => url.pathname !== path);
  await ada.page.waitForFunction(() => /Rematch in \d/.test(document.querySelector(".notice .offer")?.textContent));
  for (const { page } of [ada, bo]) {
    await page.waitForURL((url) => url.pathname !== path);
    await page.waitForSelector(".seat.on-turn");
  }
  // In the rematch the other player moves first.
  await myTurn(bo.page);
  for (const user of [ada, bo, cy]) await user.clean();
});

test("the ship can be dragged while a spectator arrives, and a chosen move can be cancelled", async () => {
  const ada = await browser.newUser(server, { motion: "no-preference" });
  const cy = await browser.newUser(server);
  const path = await create(ada.page, { game: "rooks", position: "d4@2" });
  await myTurn(ada.page);
  // The match page comes in with a short motion; a trial waits until its end.
  await ada.page.locator('[data-move="ship a4@2"]').hover({ trial: true });
  // The ship flies to its square; it has arrived when two looks at it show the same place.
  await ada.page.waitForFunction(
    () => {
      const place = document.querySelector(".ship:not(.ghost)")?.getAttribute("transform");
      const arrived = place === document.body.dataset.place;
      document.body.dataset.place = place ?? "";
      return arrived;
    },
    null,
    { polling: 500 },
  );
  const ship = await ada.page.locator(".ship:not(.ghost) .ship-hull").boundingBox();
  await ada.page.mouse.move(ship.x + ship.width / 2, ship.y + ship.height / 2);
  await ada.page.mouse.down();
  const square = await ada.page.locator('[data-move="ship a4@2"]').boundingBox();
  await ada.page.mouse.move(square.x + square.width / 2, square.y + square.height / 2, { steps: 8 });
  // The page is updated under the pointer; what has not changed stays the same element.
  await ada.page.evaluate(() => document.querySelector('[data-move="ship a4@2"]')?.classList.add("kept"));
  await cy.page.goto(path);
  await ada.page.waitForFunction(() => document.querySelector(".watchers")?.textContent !== "");
  assert.equal(await ada.page.locator('.kept[data-move="ship a4@2"]').count(), 1);
  await ada.page.mouse.up();
  await ada.page.waitForFunction(() => document.querySelector(".bar b")?.title === "ship a4@2");
  await ada.page.keyboard.press("Escape");
  await ada.page.waitForFunction(() => !document.querySelector(".bar b"));
  assert.equal(await ada.page.locator(".ply").count(), 0);
  for (const user of [ada, cy]) await user.clean();
});
