/** The first words on a line, and who may say them: `hello`, its refusals, and the Origin of browsers. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { open } from "../../browser/harness/browser.mjs";
import { serve } from "../../browser/harness/server.mjs";
import { page } from "../harness/judges.mjs";
import { PROTOCOL } from "../script/client.mjs";

let server, url;
before(async () => {
  server = await serve();
  url = `${server.base.replace("http", "ws")}/ws`;
});
after(() => server?.stop());

/** A bare line: says one thing, gives the next thing it hears. */
async function line(options = {}) {
  const socket = new WebSocket(url, PROTOCOL, options);
  const heard = [];
  let told = () => {};
  socket.on("message", (data) => {
    heard.push(JSON.parse(String(data)));
    told();
  });
  await new Promise((done, fail) => socket.on("open", done).on("error", fail));
  return {
    async say(message) {
      socket.send(JSON.stringify(message));
      while (heard.length === 0) await new Promise((done) => (told = () => done(null)));
      return heard.shift();
    },
    close: () => socket.terminate(),
  };
}

test("before a good hello everything is refused, and the line stays open for one", async () => {
  const bare = await line();
  for (const [message, id, reason] of [
    [{ type: "lobby", id: "early" }, "early", "hello-first"],
    [{ type: "hello", protocol: "fibfob.v9" }, null, "unsupported-version"],
    [{ type: "hello", protocol: PROTOCOL, token: "0b8f5e2c7d3a4c1e9f602a4b6c8d0e1f.guessed" }, null, "bad-token"],
    [{ type: "hello", protocol: PROTOCOL, name: "" }, null, "bad-name"],
    [{ type: "hello", protocol: PROTOCOL, name: "x".repeat(25) }, null, "bad-name"],
    [{ type: "hello" }, null, "malformed"],
  ]) {
    const answer = await bare.say(message);
    assert.deepEqual(
      [answer.type, answer.id, answer.reason],
      ["refused", id, reason],
      JSON.stringify([message, answer]),
    );
    if (reason === "unsupported-version") assert.deepEqual(answer.supported, [PROTOCOL]);
  }
  const welcome = await bare.say({
    type: "hello",
    protocol: PROTOCOL,
    name: "Zoë 🚀",
    colour: "unknown fields are ignored",
  });
  assert.deepEqual([welcome.type, welcome.protocol, welcome.name], ["welcome", PROTOCOL, "Zoë 🚀"]);
  bare.close();

  const again = await line();
  const same = await again.say({ type: "hello", protocol: PROTOCOL, token: welcome.token });
  assert.equal(same.guest, welcome.guest);
  again.close();
});

test("a page of another site is turned away, and the server's own is not", async () => {
  (await line({ origin: server.base })).close();
  await assert.rejects(line({ origin: "https://elsewhere.example" }), /403/);

  const blank = await page();
  const browser = await open();
  const person = await browser.person(blank, { allow: /WebSocket connection/ });
  await person.page.goto(blank.base);
  const code = await person.page.evaluate(
    ([to, protocol]) => new Promise((done) => (new WebSocket(to, protocol).onclose = (event) => done(event.code))),
    [url, PROTOCOL],
  );
  assert.equal(code, 1006);
  await person.clean();
  await browser.close();
  await blank.stop();
});
