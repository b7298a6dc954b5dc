/** The first message of a connection, its refusals, and the check of the Origin header. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { open } from "../../browser/harness/browser.mjs";
import { serve } from "../../browser/harness/server.mjs";
import { PROTOCOL } from "../javascript/client.mjs";

let server, url;
before(async () => {
  server = await serve();
  url = `${server.base.replace("http", "ws")}/ws`;
});
after(() => server?.stop());

/** Serves an empty page, from another origin than the game server's. */
async function emptyPage() {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>Client</title><link rel=icon href=data:,>");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { base: `http://127.0.0.1:${port}`, stop: () => new Promise((done) => server.close(done)) };
}

/** A connection without a client: sends one message and returns the next one received. */
async function connection(options = {}) {
  const socket = new WebSocket(url, PROTOCOL, options);
  const received = [];
  let notify = () => {};
  socket.on("message", (data) => {
    received.push(JSON.parse(String(data)));
    notify();
  });
  await new Promise((done, fail) => socket.on("open", done).on("error", fail));
  return {
    async send(message) {
      socket.send(JSON.stringify(message));
      while (received.length === 0) await new Promise((done) => (notify = () => done(null)));
      return received.shift();
    },
    close: () => socket.terminate(),
  };
}

test("before a valid hello every message is refused, and the connection stays open", async () => {
  const bare = await connection();
  for (const [message, id, reason] of [
    [{ type: "lobby", id: "early" }, "early", "hello-first"],
    [{ type: "hello", protocol: "fibfob.v9" }, undefined, "unsupported-version"],
    [{ type: "hello", protocol: PROTOCOL, token: "0b8f5e2c7d3a4c1e9f602a4b6c8d0e1f.guessed" }, undefined, "bad-token"],
    [{ type: "hello", protocol: PROTOCOL, name: "" }, undefined, "bad-name"],
    [{ type: "hello", protocol: PROTOCOL, name: "x".repeat(25) }, undefined, "bad-name"],
    [{ type: "hello" }, undefined, "malformed"],
  ]) {
    const answer = await bare.send(message);
    assert.deepEqual(
      [answer.type, answer.id, answer.reason],
      ["refused", id, reason],
      JSON.stringify([message, answer]),
    );
    if (reason === "unsupported-version") assert.deepEqual(answer.supported, [PROTOCOL]);
  }
  const welcome = await bare.send({
    type: "hello",
    protocol: PROTOCOL,
    name: "Zoë 🚀",
    colour: "unknown fields are ignored",
  });
  assert.deepEqual([welcome.type, welcome.protocol, welcome.name], ["welcome", PROTOCOL, "Zoë 🚀"]);
  bare.close();

  const again = await connection();
  const same = await again.send({ type: "hello", protocol: PROTOCOL, token: welcome.token });
  assert.equal(same.guest, welcome.guest);
  again.close();
});

test("a connection from a page of another origin is rejected, and one of the server's own page is not", async () => {
  (await connection({ origin: server.base })).close();
  await assert.rejects(connection({ origin: "https://elsewhere.example" }), /403/);

  const page = await emptyPage();
  const browser = await open();
  const user = await browser.newUser(page, { allow: /WebSocket connection/, rules: true });
  await user.page.goto(page.base);
  const code = await user.page.evaluate(
    ([to, protocol]) => new Promise((done) => (new WebSocket(to, protocol).onclose = (event) => done(event.code))),
    [url, PROTOCOL],
  );
  assert.equal(code, 1006);
  await user.clean();
  await browser.close();
  await page.stop();
});
