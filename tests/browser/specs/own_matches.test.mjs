// The guest's own matches on the start page: whose turn it is, what is over, older ones, and the way back to each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../harness/axe.mjs";
import { picture } from "../harness/browser.mjs";
import { click, create, myTurn, online, over, wide } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

/**
 * Creates matches as the guest of a page, on a connection of their own.
 * @param {import("playwright-core").Page} page
 * @param {number} count
 */
function createMany(page, count) {
  return page.evaluate(async (count) => {
    const socket = new WebSocket(`ws://${location.host}/ws`, "fibfob.v1");
    await new Promise((opened) => (socket.onopen = opened));
    const send = (/** @type {object} */ message) => socket.send(JSON.stringify(message));
    send({ type: "hello", protocol: "fibfob.v1", token: localStorage.getItem("fibfob.token") });
    let made = 0;
    await new Promise((done, failed) => {
      const next = () =>
        send({ type: "create", id: `many-${made}`, game: "nim", opponent: { bot: "novice" }, first: "me" });
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === "refused") failed(new Error(message.message));
        if (message.type === "welcome") next();
        // A connection follows few matches at once, and nobody leaves a match by leaving its page.
        if (message.type === "accepted" && message.id.startsWith("many")) {
          send({ type: "leave", id: `leave-${made++}`, match: message.match });
        } else if (message.type === "accepted") made === count ? done(null) : next();
      };
    });
    socket.close();
  }, count);
}

/** @param {import("playwright-core").Page} page */
const home = async (page) => {
  await page.goto("/");
  await online(page);
  // Rows have the names of games once these are known.
  await page.waitForSelector(".games .game");
};

test("a match is listed while it waits, on one's turn, and once it is over", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  await home(ada.page);
  assert.equal(await ada.page.locator(".own:visible").count(), 0, "a new guest has none");
  const path = await create(ada.page, { game: "nim", position: "3", opponent: "friend", time: 2 });
  const code = path.slice(-6);
  await home(ada.page);
  const row = ada.page.locator(`.own .entry[href="${path}"]`);
  assert.match((await row.textContent()) ?? "", new RegExp(`Nobody has joined yet.*Nim ${code}.*Waiting for a player`));

  await bo.page.goto(path);
  await bo.page.click(".take-seat");
  await bo.page.waitForSelector(".seat.on-turn");
  // The page is loaded already, and is told.
  await ada.page.waitForSelector(`.own .entry.calls[href="${path}"]`);
  assert.match((await row.textContent()) ?? "", /Against \w+ \w+.*Your move/);
  await home(bo.page);
  const waiting = await bo.page.textContent(`.own .entry[href="${path}"]`);
  assert.match(waiting ?? "", /is to move/);
  assert.equal(await bo.page.locator(".own .entry.calls").count(), 0);

  // By keyboard: the row is a link.
  await row.focus();
  await ada.page.keyboard.press("Enter");
  await myTurn(ada.page);
  await click(ada.page, "take 3 from 1");
  await over(ada.page);
  for (const [{ page }, result] of [
    [ada, /You won \(no move left\).*Review/],
    [bo, /You lost \(no move left\).*Review/],
  ]) {
    await home(page);
    await page.click(".own summary");
    const finished = page.locator(`.own details .entry[href="${path}"]`);
    await finished.waitFor();
    assert.match((await finished.textContent()) ?? "", /** @type {RegExp} */ (result));
    await finished.click();
    await over(page);
  }
  for (const user of [ada, bo]) await user.clean();
});

test("older matches are shown when asked for, and the list fits a phone in both languages", async () => {
  const { page, clean } = await browser.newUser(server, { width: 360, height: 740, scheme: "light", touch: true });
  await home(page);
  await createMany(page, 18);
  await home(page);
  await page.waitForFunction(() => document.querySelectorAll(".own .entry").length === 16);
  await page.click(".own .more:visible");
  await page.waitForFunction(() => document.querySelectorAll(".own .entry").length === 18);
  assert.equal(await page.locator(".own .more:visible").count(), 0);
  const codes = await page.$$eval(".own .entry", (rows) => rows.map((row) => row.getAttribute("href")));
  assert.equal(new Set(codes).size, 18);
  assert.ok(await page.evaluate(() => document.activeElement?.matches(".own .entry")));
  assert.ok((await wide(page)) <= 0);
  assert.deepEqual(await violations(page), []);
  await page.locator(".own").scrollIntoViewIfNeeded();
  await picture(page, "own-phone-light");
  await page.evaluate(() => localStorage.setItem("fibfob.settings", JSON.stringify({ language: "de" })));
  await home(page);
  assert.equal(await page.textContent("#own-title"), "Deine Partien");
  assert.match((await page.textContent(".own .entry")) ?? "", /Gegen Pip \(Bot\).*Dein Zug/);
  await clean();
});

test("a new match after one that nobody joined begins with the form, and with its game", async () => {
  const { page, clean } = await browser.newUser(server);
  const path = await create(page, { game: "kayles", position: "xx", opponent: "friend" });
  await page.click(".withdraw");
  await page.waitForSelector(".hero");
  await page.goto(path);
  await page.waitForSelector(".notice.is-closed");
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    else await page.click(".notice a.button");
    await page.waitForFunction(
      () => /** @type {HTMLSelectElement | null} */ (document.querySelector("#create-game"))?.value === "kayles",
    );
    await page.waitForFunction(() => document.activeElement?.id === "create-game");
  }
  await page.click(".create-form button.primary");
  await page.waitForSelector(".match-head h1:text-is('Kayles')");
  await clean();
});

test("the start page begins at its top, and with its form only where a link asks for that", async () => {
  const { page, clean } = await browser.newUser(server);
  for (const [path, isForm] of /** @type {[string, boolean][]} */ ([
    ["/", false],
    ["/#new", true],
  ])) {
    await page.goto("about:blank");
    await page.goto(path);
    await online(page);
    await page.waitForSelector(".hero");
    // The form is shown in a frame after the page is built.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const [top, focus] = await page.evaluate(() => [scrollY, document.activeElement?.id]);
    assert.deepEqual([top, focus === "create-game"], [0, isForm], path);
  }
  await clean();
});

test("a new match after one against the bot starts at once, against the same bot", async () => {
  const { page, clean } = await browser.newUser(server);
  const first = await create(page, { game: "kayles", position: "xx" });
  await myTurn(page);
  await page.click(".resign");
  await page.click(".resign");
  await over(page);
  await page.click(".notice .again");
  await page.waitForURL((url) => url.pathname.startsWith("/m/") && url.pathname !== first);
  await page.waitForSelector(".match-head h1:text-is('Kayles')");
  await page.waitForSelector(".actions .resign");
  await clean();
});
