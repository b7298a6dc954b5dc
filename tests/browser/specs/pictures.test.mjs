// The pictures of the games: every move can be reached, the last one is marked, and the end is shown once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { click, create, createWith, myTurn, over, sees } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/** The smallest target of a finger, in pixels. */
const TOUCH_PX = 44;

test("the pairs of Kayles are as large as a finger, and nothing lies over them", async () => {
  const { page, clean } = await browser.newUser(server, { width: 390, height: 844, touch: true });
  await create(page, { game: "kayles", position: "xxxxx.xxxxxx.xxx.xx" });
  await myTurn(page);
  const bad = await page.$$eval(
    ".pair[data-move]",
    (pairs, least) =>
      pairs.flatMap((pair) => {
        pair.scrollIntoView({ block: "center" });
        const { left, top, width, height } = pair.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2)?.closest("[data-move]");
        const move = pair.getAttribute("data-move");
        return width >= least && height >= least && hit === pair ? [] : [`${move}: ${width}×${height}`];
      }),
    TOUCH_PX,
  );
  assert.deepEqual(bad, []);
  await page.tap('[data-move="knock 2,3"]');
  await page.waitForFunction(() => document.querySelector(".bar b")?.title === "knock 2,3");
  await picture(page, "kayles-phone");
  await clean();
});

test("a pin that has fallen lies in its own place and touches none that stands", async () => {
  const { page, clean } = await browser.newUser(server);
  for (const { game, position } of [
    { game: "kayles", position: "x.xxx.xx.x" },
    { game: "sum", position: "kayles xx.x + nim 3,4 + kayles .x.x" },
  ]) {
    await create(page, { game, position });
    await myTurn(page);
    const over = await page.$$eval(".pin.down", (pins) =>
      pins.flatMap((pin) => {
        const own = pin.closest(".pin-cell")?.getBoundingClientRect() ?? new DOMRect();
        const shape = (pin.querySelector(".pin-body") ?? pin).getBoundingClientRect();
        return shape.left >= own.left && shape.right <= own.right ? [] : [pin.textContent];
      }),
    );
    assert.deepEqual(over, [], position);
    assert.ok((await page.locator(".pin.down").count()) > 1);
  }
  await clean();
});

test("no component of a sum covers the moves of another one", async () => {
  const { page, clean } = await browser.newUser(server);
  for (const position of [
    "nim 3,4 + fib-fob g6@3 time=2 nuggets=0 fib=0 fob=1 + green-hackenbush 0-1,0-1",
    "wythoff-nim 9,9 + kayles xxxxxxxxxxxxx + staircase-nim 4,2,3,5 + turning-turtles HTHHTHHH",
    "poker-nim time=15 nuggets=5 + nim-muskateers fib=12 fob=9 + nim 33,45,7",
  ]) {
    await create(page, { game: "sum", position });
    await myTurn(page);
    const covered = await page.$$eval(".stage [data-move]", (choices) =>
      choices.flatMap((choice) => {
        choice.scrollIntoView({ block: "center", inline: "center" });
        const { left, top, width, height } = choice.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2)?.closest(".component");
        return hit === choice.closest(".component") ? [] : [choice.getAttribute("data-move")];
      }),
    );
    assert.deepEqual(covered, [], position);
  }
  await clean();
});

test("games say which amounts are allowed, by their own rule, and what a square means", async () => {
  const { page, clean } = await browser.newUser(server);
  for (const [game, position, words] of [
    ["take-fibonacci", "7,12", /1, 2, 3, 5, 8$/],
    ["wythoff-nim", "5,9", /^Heap 1: 5, heap 2: 9\. /],
    ["ryuo-nim", "5,7 p=3", /^Heap 1: 5, heap 2: 7\. From several heaps at once: fewer than 3 in all$/],
    // Heaps that are too large for a board are piles, under the rule of their own game.
    ["wythoff-nim", "25,30", /^From one heap any number; or the same number from both\. /],
    ["ryuo-nim", "25,30 p=4 q=8", /^From several heaps at once: fewer than 4 in all\. At most 7 from one heap\. /],
    ["ryuo-nim-3d", "5,7,2", /^From one heap any number; or one each from several\. /],
  ]) {
    await create(page, { game: String(game), position: String(position) });
    await myTurn(page);
    assert.match((await page.textContent(".picture-note:not([hidden])")) ?? "", /** @type {RegExp} */ (words));
  }
  await clean();
});

test("the last move is marked in the picture of every kind of game", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  for (const [game, position, move, mark] of [
    ["nim", "3,4", "take 2 from 2", ".heap-last:not([hidden])"],
    ["staircase-nim", "1,2,3", "move 2 from 2", ".heap-last:not([hidden])"],
    ["kayles", "xxx.x", "knock 2", ".was-last"],
    ["wythoff-nim", "5,9", "take 0,3", ".origin-cell:not(.hidden)"],
    ["green-hackenbush", "0-1,1-2,0-3", "cut 1-2", '.cut-last:not([d="M0 0"])'],
    ["turning-turtles", "HTTHH", "turn 4", ".was-last"],
  ]) {
    await createWith(ada.page, bo.page, { game, position });
    assert.equal(await bo.page.locator(`.stage ${mark}`).count(), 0, game);
    const choice = ada.page.locator(`.stage [data-move="${move}"]`).first();
    await choice.dispatchEvent("click");
    await ada.page.waitForFunction((move) => document.querySelector(".bar b")?.title === move, move);
    await ada.page.click(".bar .primary");
    await sees(bo.page, 1);
    await bo.page.waitForSelector(`.stage ${mark}`, { state: "attached" });
  }
  for (const user of [ada, bo]) await user.clean();
});

test("the end is shown once, can be skipped, and does not move for whoever prefers that", async () => {
  const ada = await browser.newUser(server, { motion: "no-preference" });
  const bo = await browser.newUser(server);
  await createWith(ada.page, bo.page, { game: "rooks", position: "a2@1" });
  await click(ada.page, "ship a1@1");
  await ada.page.waitForSelector(".ending.is-won");
  await ada.page.click(".ending");
  await ada.page.waitForSelector(".ending", { state: "detached" });
  await over(bo.page);
  assert.equal(await bo.page.locator(".ending").count(), 0);
  await ada.page.reload();
  await over(ada.page);
  assert.equal(await ada.page.locator(".ending").count(), 0);
  for (const user of [ada, bo]) await user.clean();
});

test("arrow keys walk the list of moves", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { game: "nim", position: "9,9", level: "novice" });
  await myTurn(page);
  await click(page, "take 1 from 1");
  await sees(page, 2);
  await page.focus(".ply.here");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(
    () => document.activeElement?.matches(".ply.here") && document.querySelector(".stage.past"),
  );
  assert.match((await page.textContent(".ply.here")) ?? "", /took 1 from heap 1/);
  await clean();
});

test("the recorder has a cell for each position that counts, also after a takeback", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await createWith(ada.page, bo.page, { game: "nim", position: "3,4" });
  await click(ada.page, "take 3 from 2");
  await ada.page.click(".takeback:not(:disabled)");
  await bo.page.click(".yes");
  await myTurn(ada.page);
  await click(ada.page, "take 1 from 2");
  await myTurn(bo.page);
  await click(bo.page, "take 2 from 1");
  await bo.page.click(".resign");
  await bo.page.click(".resign");
  await ada.page.waitForSelector(".track-cell.here");
  // Ada could win 3,4, and after her move, 3,3, still. The position that was taken back, 3,1, is not among them.
  const cells = await ada.page.$$eval(".track-cell", (cells) => cells.map(({ classList }) => classList[1]));
  assert.deepEqual(cells, ["creator", "creator", "creator"]);
  for (const user of [ada, bo]) await user.clean();
});

test("the loser is erased once, a key skips it, and spectators see only the result", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server, { motion: "no-preference" });
  const cy = await browser.newUser(server, { motion: "no-preference" });
  const path = await createWith(ada.page, bo.page, { game: "rooks", position: "a2@1" });
  await cy.page.goto(path);
  await cy.page.waitForSelector(".stage");
  for (const { page } of [bo, cy]) {
    await page.evaluate(() => {
      globalThis.endings = [];
      new MutationObserver((records) => {
        for (const { addedNodes } of records) {
          for (const node of addedNodes) {
            if (node instanceof Element && node.matches(".ending")) globalThis.endings.push(node.className);
          }
        }
      }).observe(document.body, { childList: true, subtree: true });
    });
  }
  await click(ada.page, "ship a1@1");
  await bo.page.waitForSelector(".ending.is-lost .ship", { state: "attached" });
  await bo.page.keyboard.press("Shift");
  await bo.page.waitForSelector(".ending", { state: "detached" });
  for (const { page } of [ada, bo, cy]) await over(page);
  assert.deepEqual(await bo.page.evaluate(() => globalThis.endings), ["ending is-lost"]);
  assert.deepEqual(await cy.page.evaluate(() => globalThis.endings), []);
  assert.equal(await ada.page.locator(".ending").count(), 0);
  for (const user of [ada, bo, cy]) await user.clean();
});

test("Hackenbush: parallel edges, loops beside each other and one on the ground are hit in their middle", async () => {
  const { page, clean } = await browser.newUser(server);
  for (const position of [
    "0-1,0-1,0-1,1-2,1-2,2-2,2-2,0-0,1-1",
    "0-1,1-2,1-2,1-2,2-2,2-2,2-3,3-4,4-2,0-5,5-5,0-0,5-6",
  ]) {
    await create(page, { game: "green-hackenbush", position });
    await myTurn(page);
    const missed = await page.$$eval(".stem", (stems) =>
      stems.flatMap((stem) => {
        const line = /** @type {SVGPathElement} */ (stem.querySelector(".stem-line"));
        const [from, to] = stem.dataset.move?.replace("cut ", "").split("-") ?? [];
        return (from === to ? [0.4, 0.5, 0.6] : [0.5]).flatMap((part) => {
          const place = line.getPointAtLength(line.getTotalLength() * part).matrixTransform(line.getScreenCTM());
          const hit = document.elementFromPoint(place.x, place.y)?.closest(".stem");
          return hit === stem ? [] : [`${stem.dataset.move} at ${part} is covered by ${hit?.dataset.move}`];
        });
      }),
    );
    assert.deepEqual(missed, [], position);
    assert.equal(await page.locator(".stem").count(), position.split(",").length);
  }
  await clean();
});
