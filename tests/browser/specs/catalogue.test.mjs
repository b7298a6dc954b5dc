// Every game: opened from the start page, with its picture, and one move played, on a wide and a narrow screen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { create, myTurn, wide } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

const SIZES = [
  { name: "wide", width: 1280, height: 800, scheme: "dark" },
  { name: "phone", width: 360, height: 740, scheme: "light", touch: true },
];

for (const size of SIZES) {
  test(`every game can be opened and played, ${size.name}`, async () => {
    const games = await (await fetch(`${server.base}/api/games`)).json();
    assert.ok(games.length >= 18);
    const { page, clean } = await browser.newUser(server, size);
    for (const game of games) {
      await create(page, { game: game.id, position: game.example });
      await myTurn(page);
      assert.equal(await page.locator(".generic").count(), 0, `${game.id} has a picture of its own`);
      const moves = await page.$$eval(".stage [data-move]", (choices) =>
        choices.map((choice) => choice.getAttribute("data-move")),
      );
      assert.ok(
        moves.every((move) => move),
        game.id,
      );
      for (const choice of await page.$$eval(".stage [data-move]", (choices) =>
        choices.map((choice) => choice.getAttribute("aria-label")),
      )) {
        assert.ok(choice, game.id);
      }
      // The example move if the picture offers it directly, otherwise the first one that it offers.
      const move = moves.includes(game.example_move) ? game.example_move : moves[0];
      await page.locator(`.stage [data-move="${move}"]`).first().dispatchEvent("click");
      await page.waitForFunction((move) => document.querySelector(".bar b")?.title === move, move);
      await page.waitForFunction(() => document.querySelector(".bar .quiet")?.textContent !== "");
      assert.ok((await wide(page)) <= 0, `${game.id} scrolls sideways`);
      await picture(page, `game-${game.id}-${size.name}`);
      await page.click(".bar .primary");
      await page.waitForFunction(() => document.querySelectorAll(".ply").length > 0);
      assert.equal(await page.getAttribute(".ply-move", "title"), move);
    }
    await clean();
  });
}

test("a game without a picture of its own is played by its list of moves", async () => {
  const { page, clean } = await browser.newUser(server);
  // An id that this page does not know, as from a newer server.
  await page.route("**/*.js", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/\n *nim,\n/, "\n") });
  });
  await create(page, { game: "nim", position: "3,40" });
  await myTurn(page);
  await page.waitForSelector(".generic");
  await page.fill(".stage .move-fields input", "17");
  await page.click('.stage [data-move="take 17 from 2"]');
  await page.waitForFunction(() => /3,23/.test(document.querySelector(".bar .quiet")?.title ?? ""));
  await page.click(".bar .primary");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length > 0);
  // A part of the page that loads late may be under way.
  await page.unrouteAll({ behavior: "wait" });
  await clean();
});
