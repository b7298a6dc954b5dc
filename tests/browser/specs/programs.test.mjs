// A program keeps a match open in the lobby, and people meet it there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, server } from "../harness/fixture.mjs";
import { click, create, myTurn, over, sees } from "../harness/play.mjs";

const AUTHOR = "<b>Cy</b>";
const URL_OF_CY = "https://cy.example/about";

/** Hosts matches of Nim, and plays the first of its legal moves. Runs in a page. */
function host({ name, program }) {
  const socket = new WebSocket(`ws://${location.host}/ws`, "fibfob.v1");
  const send = (message) => socket.send(JSON.stringify({ id: crypto.randomUUID(), ...message }));
  const openNext = () => send({ type: "create", game: "nim", start: { position: "1,2" }, first: "other" });
  const play = ({ match, version }, { legal }) =>
    legal && send({ type: "play", match, expecting: version, move: legal[0] });
  socket.onopen = () => socket.send(JSON.stringify({ type: "hello", protocol: "fibfob.v1", name, program }));
  return new Promise((opened, failed) => {
    const answers = {
      welcome: openNext,
      accepted: opened,
      refused: ({ message }) => failed(new Error(message)),
      snapshot: (message) => play(message, message.state),
      frame: (message) => {
        if (message.event === "joined") openNext();
        play(message, message.change ?? {});
      },
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      answers[message.type]?.(message);
    };
  });
}

test("a person finds a program in the lobby, beats it and finds its next match", async () => {
  const [cy, bo, ada] = [await browser.newUser(server), await browser.newUser(server), await browser.newUser(server)];
  await cy.page.goto("/");
  await cy.page.evaluate(host, { name: "Seeker", program: { author: AUTHOR, url: URL_OF_CY } });
  await create(bo.page, { game: "nim", position: "3,4", opponent: "open", hidden: false });
  const { page } = ada;
  await page.goto("/");
  const rows = page.locator(".lobby .entry");
  const programs = rows.filter({ hasText: "Seeker (program)" });
  await programs.waitFor();
  assert.match(await programs.textContent(), /program by <b>Cy<\/b>/);
  assert.equal(await rows.count(), 2);
  await page.selectOption("#lobby-show", "people");
  assert.equal(await rows.count(), 1);
  assert.equal(await programs.count(), 0);
  await page.selectOption("#lobby-show", "programs");
  await page.reload();
  await programs.waitFor();
  assert.equal(await rows.count(), 1, "the choice is kept");

  const first = await programs.getAttribute("href");
  await programs.click();
  const link = page.locator(".players a", { hasText: `program by ${AUTHOR}` });
  assert.equal(await link.getAttribute("href"), URL_OF_CY);
  assert.equal(await link.getAttribute("rel"), "noopener nofollow");
  await page.click(".take-seat");
  await myTurn(page);
  await click(page, "take 1 from 2");
  await sees(page, 2);
  await myTurn(page);
  await click(page, "take 1 from 2");
  await over(page);
  assert.match(await page.textContent(".notice h2"), /won/);
  await page.goto("/");
  await page.locator(`.lobby .entry:not([href="${first}"])`, { hasText: "Seeker (program)" }).waitFor();
  for (const user of [ada, bo, cy]) await user.clean();
});
