// The accessibility engine axe finds no violation on the start page, in a match and in a replay, in both themes; and no
// page scrolls sideways on a phone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { picture } from "../harness/browser.mjs";
import { click, create, myTurn, online, over, wide } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

for (const scheme of ["dark", "light"]) {
  test(`start page, match and replay have no accessibility violations, ${scheme}`, async () => {
    const { page, clean } = await browser.newUser(server, { scheme });
    await page.goto("/");
    await page.waitForSelector(".game");
    await online(page);
    assert.deepEqual(await violations(page), []);
    await picture(page, `home-${scheme}`);

    await create(page, { position: "g6@5 time=15 nuggets=5 fib=12 fob=9", learning: true });
    await myTurn(page);
    assert.deepEqual(await violations(page), []);
    await picture(page, `match-${scheme}`);
    await page.click('.stage [data-move="ship c6@5"]');
    await page.waitForFunction(() => /c6@5/.test(document.querySelector(".bar .quiet")?.title ?? ""));
    assert.deepEqual(await violations(page), []);
    await picture(page, `choice-${scheme}`);
    await page.click(".analysis summary");
    await page.waitForSelector(".lamp-panel");
    assert.deepEqual(await violations(page), []);
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    await picture(page, `learning-${scheme}`, { fullPage: true });

    await create(page, { position: "b1@1 time=1 nuggets=0 fib=1 fob=0", level: "perfect" });
    for (;;) {
      await page.waitForFunction(
        () => document.querySelector(".notice.is-over h2") || document.querySelector(".stage.mine [data-move]"),
      );
      if (await page.locator(".notice.is-over h2").count()) break;
      await click(page, await page.locator(".stage [data-move]").first().getAttribute("data-move"));
      await page.waitForFunction(
        () =>
          document.querySelector(".notice.is-over h2") ||
          document.querySelector(".stage:not(.mine)") ||
          document.querySelectorAll(".ply").length % 2 === 0,
      );
    }
    await over(page);
    await page.waitForSelector(".track-cell.here");
    await page.click('[aria-label="Previous move"]');
    await page.waitForSelector(".stage.past");
    await page.waitForSelector(".verdict");
    assert.deepEqual(await violations(page), []);
    await picture(page, `replay-${scheme}`, { fullPage: true });
    await clean();
  });
}

test("no page scrolls sideways on a phone", async () => {
  const { page, clean } = await browser.newUser(server, { width: 360, height: 740, scheme: "light", touch: true });
  await page.goto("/");
  await page.waitForSelector(".game");
  assert.ok((await wide(page)) <= 0);
  await picture(page, "home-phone");
  await create(page, { position: "g6@5 time=15 nuggets=5 fib=12 fob=9" });
  await myTurn(page);
  assert.ok((await wide(page)) <= 0);
  await picture(page, "match-phone");
  await page.tap('.stage [data-move="ship g3@5"]');
  await page.waitForFunction(() => /g3@5/.test(document.querySelector(".bar .quiet")?.title ?? ""));
  await page.tap(".bar .primary");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length > 0);
  await clean();
});
