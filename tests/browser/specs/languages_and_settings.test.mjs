// Languages, settings and names, and texts that are complete in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../harness/browser.mjs";
import { de, en } from "../harness/languages.mjs";
import { click, create, fillForm, myTurn, online } from "../harness/play.mjs";
import { serve } from "../harness/server.mjs";
import { playerName } from "../../../server/web/views/player_names.js";
import { t } from "../../../server/web/words/words.js";
import { browser, server } from "../harness/fixture.mjs";

test("every text exists in both languages with the same placeholders", async () => {
  const holes = (/** @type {string} */ text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const word of Object.keys(en)) {
    assert.ok(de[word], `${word} has no German`);
    assert.deepEqual(holes(de[word]), holes(en[word]), word);
  }
  const games = await (await fetch(`${server.base}/api/games`)).json();
  const told = new Set();
  for (const { id, how_to_play: how } of games) {
    const sentences = [...how.introduction, how.goal, ...how.moves.map((/** @type {any} */ move) => move.sentence)];
    for (const sentence of sentences) {
      assert.ok(de[sentence], `${id} has no German for: ${sentence}`);
      told.add(sentence);
    }
  }
  const more = Object.keys(de).filter((word) => !(word in en) && !/^game\./.test(word) && !told.has(word));
  assert.deepEqual(more, []);
});

test("a word beside a number has the forms of its language", () => {
  for (const [language, texts] of Object.entries({ en, de })) {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [, forms] of Object.values(texts).flatMap((text) => [...text.matchAll(/\{\w+\|([^}]*)\}/g)])) {
      assert.equal(forms.split("|").length, pluralCategories.length, `${language}: ${forms}`);
    }
  }
  const said = [0, 1, "1", 2, "1,000"].map((count) => t("today.streak", { count }));
  const days = said.map((text) => text.replace("Your streak: ", ""));
  assert.deepEqual(days, ["0 days.", "1 day.", "1 day.", "2 days.", "1,000 days."]);
});

test("a refusal is entirely German, with what was wrong", async () => {
  const { page, clean } = await browser.newUser(server, { locale: "de-DE" });
  await page.goto("/");
  await fillForm(page, { start: "typed" });
  for (const [game, position, words] of [
    [
      "nim",
      "3,x",
      "Das ist keine Stellung und kein Zug dieses Spiels: „x“ ist falsch; richtig wäre zum Beispiel „3,4,5“",
    ],
    ["nim", "99,1", "So kann keine Partie anfangen: Münzen: 99, und eine Partie beginnt mit 0 bis 50"],
    ["nim", "0", "So kann keine Partie anfangen: die Stellung ist schon zu Ende"],
  ]) {
    await page.selectOption("#create-game", game);
    await page.fill("#create-position", position);
    await page.press("#create-position", "Enter");
    await page.waitForFunction((words) => document.querySelector(".create .fault")?.textContent === words, words);
  }
  await page.keyboard.press("Escape");
  await page.click("header .name");
  await page.fill("header .name-field", "a\u202eb");
  await page.press("header .name-field", "Enter");
  await page.waitForSelector("header :text-is('Dieser Name geht nicht: Ein Name hat 1 bis 24 sichtbare Zeichen')");
  await clean();
});

test("an analysis is entirely German, also in games with special steps", async () => {
  const { page, clean } = await browser.newUser(server, { locale: "de-DE" });
  for (const [game, position, words] of [
    ["ryuo-nim-pass", "5,7 p=3 pass=yes", /Block von Haufen 1/],
    ["ryuo-nim-3d", "5,7,2", /Xor der Blöcke/],
    ["sum", "kayles xxx + nim 3", /Gruppe 1|Spiel 1|1 · /],
  ]) {
    await create(page, { game, position, learning: true });
    await myTurn(page);
    await page.click(".analysis summary");
    await page.waitForSelector(".verdict");
    const text = await page.textContent(".analysis");
    assert.match(text, words, game);
    assert.doesNotMatch(text, /\b(heap|heaps|block of|coins|sum|rests|table|the)\b/, `${game}: ${text}`);
  }
  await clean();
});

test("an unknown nimber is explained in German", async () => {
  // No start of a match has one today, so its module is called; files of a folder are served one by one.
  const plain = await serve({ options: ["--web", new URL("../../../server/web", import.meta.url).pathname] });
  const { page, clean } = await browser.newUser(plain, { locale: "de-DE" });
  await page.goto("/");
  await page.waitForSelector(".play-bot");
  const unknown = await page.evaluate(async () => {
    const folder = /** @type {any} */ (document.querySelector("script[type=module]")).src.replace(/main\.js$/, "");
    const { unknownReason } = await import(`${folder}views/teach/explanation.js`);
    return unknownReason({ reason: "past-table", index: "coins-in-a-heap", size: 90, bound: 64 });
  });
  assert.match(unknown, /keine Formel.*Münzen in einem Haufen.*90.*64/);
  await clean();
  await plain.stop();
});

test("a German browser gets German texts, and the language can be changed", async () => {
  const { page, clean } = await browser.newUser(server, { locale: "de-DE" });
  await page.goto("/");
  await page.waitForFunction(() => document.querySelector(".play-bot")?.textContent === "Gegen den Bot");
  assert.equal(await page.getAttribute("html", "lang"), "de");
  await picture(page, "home-german");
  await page.click('[aria-label="Einstellungen"]');
  await page.selectOption("#settings-language", "en");
  await page.waitForFunction(() => document.querySelector(".play-bot")?.textContent === "Play the bot");
  await page.click('[aria-label="Settings"]');
  await page.selectOption("#settings-theme", "light");
  assert.equal(await page.getAttribute("html", "data-theme"), "light");
  await page.reload();
  await page.waitForSelector(".play-bot");
  assert.equal(await page.getAttribute("html", "data-theme"), "light");
  assert.equal(await page.getAttribute("html", "lang"), "en");
  // A language that a newer page has stored.
  await page.evaluate(() => localStorage.setItem("fibfob.settings", JSON.stringify({ language: "xx" })));
  await page.reload();
  await page.waitForSelector(".play-bot");
  assert.equal(await page.getAttribute("html", "lang"), "de");
  await clean();
});

test("a name can be changed and is kept after a reload", async () => {
  const { page, clean } = await browser.newUser(server);
  await page.goto("/");
  await online(page);
  await page.click(".name");
  await page.fill(".name-field", "Grace <b>");
  await page.press(".name-field", "Enter");
  await page.waitForFunction(() => document.querySelector(".name")?.textContent === "Grace <b>");
  await online(page);
  await create(page, { game: "nim", position: "2,1" });
  await myTurn(page);
  await page.waitForFunction(() => document.querySelector(".seat-name")?.textContent === "Grace <b>");
  await page.reload();
  await myTurn(page);
  assert.equal(await page.textContent(".name"), "Grace <b>");
  await clean();
});

test("without confirmation one click plays a move", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { game: "kayles", position: "xx" });
  await myTurn(page);
  await page.click('[aria-label="Settings"]');
  await page.uncheck("input[name=confirm]");
  await page.click(".settings > button");
  await page.click('.stage [data-move="knock 1,2"]');
  await page.waitForSelector(".notice.you-won");
  await clean();
});

test("the analysis is shown for finished matches and for matches for learning", async () => {
  const { page, clean } = await browser.newUser(server);
  await create(page, { game: "nim", position: "3,5" });
  await myTurn(page);
  assert.equal(await page.locator(".analysis:visible").count(), 0);
  await create(page, { game: "nim", position: "3,5", learning: true });
  await myTurn(page);
  await page.click(".analysis summary");
  await page.waitForSelector(".lamp-panel");
  assert.match((await page.textContent(".verdict")) ?? "", /can win/);
  assert.match((await page.textContent(".theory")) ?? "", /N · Nimber 6/);
  assert.equal(await page.locator(".coin.winning").count(), 0);
  await page.click(".marks");
  await page.waitForSelector(".coin.winning");
  await page.click(".resign");
  await page.click(".resign");
  await page.waitForSelector(".notice.you-lost");
  await clean();
});

test("an analysis says why a position is lost, and that a finished one is over", async () => {
  const { page, clean } = await browser.newUser(server);
  const says = async (/** @type {{ game: string, position: string }} */ match, /** @type {RegExp} */ words) => {
    await create(page, { ...match, learning: true });
    await myTurn(page);
    await page.click(".analysis summary");
    await page.waitForSelector(".theory .steps li", { state: "attached" });
    assert.match((await page.textContent(".theory .steps")) ?? "", words);
  };
  await says({ game: "nim", position: "3,3" }, /The xor is 0: every move changes it/);
  // Here a move can leave the xor at 0.
  await says({ game: "ryuo-nim", position: "3,3 p=3" }, /After every move the opponent has a winning move\.$/);
  await says({ game: "misere-nim", position: "2,2" }, /After every move the opponent has a winning move\.$/);
  await says({ game: "misere-nim", position: "1" }, /After every move/);
  await click(page, "take 1 from 1");
  await page.waitForSelector(".notice.you-lost");
  await page.waitForFunction(() =>
    document.querySelector(".verdict")?.textContent?.includes("The game is over, and whoever is to move has won"),
  );
  assert.equal(await page.locator(".analysis .winning").count(), 0);
  await clean();
});

test("an open match is listed in the lobby and can be withdrawn, and a wrong link is reported", async () => {
  const ada = await browser.newUser(server);
  const bo = await browser.newUser(server);
  const cy = await browser.newUser(server, { allow: /404/ });
  await bo.page.goto("/");
  const path = await create(ada.page, { game: "nim", position: "3,5", opponent: "open" });
  await bo.page.click(`.entry[href="${path}"]`);
  await bo.page.waitForSelector(".take-seat");
  await ada.page.click(".withdraw");
  await ada.page.waitForSelector(".hero");
  await bo.page.waitForSelector(".notice.is-closed");
  await cy.page.goto("/m/222222");
  await cy.page.waitForSelector(".nothing");
  for (const user of [ada, bo, cy]) await user.clean();
});

test("a name from the right is isolated, and moves nothing beside it", () => {
  const guest = "aaaaaaaa-0000-4000-8000-000000000000";
  const nameOf = (/** @type {string} */ name) => playerName({ kind: "human", guest, name });
  assert.equal(nameOf("שלום"), "\u2068שלום\u2069");
  assert.equal(nameOf("Ada مريم"), "\u2068Ada مريم\u2069");
  for (const name of ["Ada", "Nguyễn 李", "👩‍🚀"]) assert.equal(nameOf(name), name);
});
