// A program from elsewhere is an opponent on the start form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, server } from "../harness/fixture.mjs";
import { click, fillForm, myTurn, over, sees } from "../harness/play.mjs";

/** Registers a program for Nim, which declines long starts and plays the first of its legal moves. Runs in a page. */
function register(name) {
  const socket = new WebSocket(`ws://${location.host}/ws`, "fibfob.v1");
  const send = (message) => socket.send(JSON.stringify({ id: crypto.randomUUID(), ...message }));
  const play = ({ match, version }, { legal }) =>
    legal && send({ type: "play", match, expecting: version, move: legal[0] });
  const program = { author: "Cy" };
  socket.onopen = () => socket.send(JSON.stringify({ type: "hello", protocol: "fibfob.v1", name, program }));
  return new Promise((registered, failed) => {
    const answers = {
      welcome: () => send({ type: "register", games: [{ game: "nim" }] }),
      accepted: registered,
      refused: ({ message }) => failed(new Error(message)),
      offer: ({ match, start }) => send({ type: "answer-offer", match, take: start.length < 8 }),
      snapshot: (message) => play(message, message.state),
      frame: (message) => play(message, message.change ?? {}),
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      answers[message.type]?.(message);
    };
  });
}

test("a person picks a program from the list of opponents and beats it", async () => {
  const cy = await browser.newUser(server);
  await cy.page.goto("/");
  await cy.page.evaluate(register, "Seeker");
  const ada = await browser.newUser(server);
  const { page } = ada;
  await page.goto("/");
  const offered = (name) => page.locator("#create-opponent .program", { hasText: name }).count();
  await fillForm(page);
  assert.equal(await offered("Seeker (Cy)"), 0, "it does not play Fib Fob");
  await page.selectOption("#create-game", "nim");
  await page.selectOption("#create-opponent", { label: "Seeker (Cy)" });
  await page.selectOption("#create-first", "me");
  await page.selectOption("#create-start", "typed");
  await page.fill("#create-position", "9,9,9,9,9");
  await page.click(".create-form button.primary");
  await page.waitForSelector(".create-form .fault:not(:empty)");
  assert.match(await page.textContent(".create-form .fault"), /declined/);

  await page.fill("#create-position", "1,2");
  await page.click(".create-form button.primary");
  await page.waitForSelector(".match");
  await myTurn(page);
  assert.match(await page.textContent(".players"), /Seeker/);
  await click(page, "take 1 from 2");
  await sees(page, 2);
  await myTurn(page);
  await click(page, "take 1 from 2");
  await over(page);
  assert.match(await page.textContent(".notice h2"), /won/);
  for (const user of [ada, cy]) await user.clean();
});
