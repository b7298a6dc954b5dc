/** Broken connections and killed servers during a match: nothing is lost and nothing counts twice. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { accepted, assertSameEvents, newMatch, fixture } from "../harness/fixture.mjs";

let shared;
before(async () => {
  shared = await fixture();
});
afterEach(() => shared?.clear());
after(() => shared?.stop());

const KILLS = 3;
const BETWEEN = 6;

test("a client resumes after the server was killed during a match", async () => {
  const [client, friend] = [await shared.connect("one"), await shared.connect("two")];
  const { match } = await newMatch(client, friend);
  const both = [client, friend];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const stop = 2 + kill * BETWEEN;
    const playing = both.map((one) => one.run({ do: "play", match, firstMoves: true, until: stop }));
    await friend.run({ do: "wait-for", match, version: stop - BETWEEN + 2 });
    await shared.server.kill();
    await shared.server.restart();
    await Promise.all(both.map((one) => one.run({ do: "wait-for-connections", count: kill + 1 })));
    for (const { state } of await Promise.all(playing)) assert.equal(state.phase, "playing");
    await assertSameEvents(both, match, stop);
  }
  const [{ version, state }] = await Promise.all(both.map((one) => one.run({ do: "play", match, firstMoves: true })));
  assert.equal(state.phase, "over");
  await assertSameEvents(both, match, version);
});

test("a client moves once when the answer was lost with the connection", async () => {
  const [client, friend] = [await shared.connect("one"), await shared.connect("two")];
  const { match } = await newMatch(client, friend);
  const before = (
    await Promise.all([client, friend].map((one) => one.run({ do: "play", match, firstMoves: true, until: 6 })))
  )[0].version;
  const mover = before % 2 === 0 ? client : friend;
  const watcher = mover === client ? friend : client;
  mover.proxy.dropAnswers();
  const moving = mover.run({ do: "play", match, firstMoves: true, until: before + 1 });
  await watcher.run({ do: "wait-for", match, version: before + 1 });
  mover.proxy.cut();
  assert.equal((await moving).version, before + 1);
  await assertSameEvents([client, friend], match, before + 1);
  const [{ version }] = await Promise.all(
    [client, friend].map((one) => one.run({ do: "play", match, firstMoves: true })),
  );
  await assertSameEvents([client, friend], match, version);
});

test("a client creates one match and takes one seat when the answers were lost with the connection", async () => {
  const [client, friend] = [await shared.connect("one"), await shared.connect("two")];
  const mine = ({ creator }) => creator.guest === client.welcome.guest;
  await accepted(friend, { type: "lobby", watch: true });
  client.proxy.dropAnswers();
  const creating = client.request({ type: "create", game: "nim", start: { position: "3,4,5" }, first: "other" });
  const shown = (await friend.run({ do: "wait-for-lobby", guest: client.welcome.guest })).open.filter(mine);
  client.proxy.cut();
  const made = await creating;
  assert.deepEqual(
    shown.map(({ code }) => code),
    [made.code],
  );

  friend.proxy.dropAnswers();
  const joining = friend.request({ type: "join", code: made.code });
  await client.run({ do: "wait-for", match: made.match, version: 2 });
  friend.proxy.cut();
  assert.deepEqual([(await joining).seat, (await joining).version], ["joiner", 2]);
  const [{ version, state }] = await Promise.all(
    [client, friend].map((one) => one.run({ do: "play", match: made.match })),
  );
  assert.equal(state.phase, "over");
  await assertSameEvents([client, friend], made.match, version);
});

test("a client receives the first answer again for a repeated id, also after a restart of the server", async () => {
  const [client, friend] = [await shared.connect("one"), await shared.connect("two")];
  const made = await newMatch(client, friend, { id: "made" });
  const { match } = made;
  const { state } = await client.run({ do: "wait-for", match, version: 2 });
  assert.equal(state.turn, "creator");
  const play = { type: "play", id: "same", match, expecting: 2, move: "time -1" };
  const first = await accepted(client, play);
  assert.equal(first.version, 3);
  await friend.run({ do: "play", match, until: 4 });
  assert.deepEqual(await client.run({ do: "repeat", id: play.id }), { ...first, repeated: true });
  await shared.server.kill();
  await shared.server.restart();
  await client.run({ do: "wait-for-connections", count: 2 });
  assert.deepEqual(await client.run({ do: "repeat", id: play.id }), { ...first, repeated: true });
  assert.deepEqual(await client.run({ do: "repeat", id: "made" }), { ...made, repeated: true });
  const seen = await assertSameEvents([client, friend], match, 4);
  assert.equal(seen.version, 4);
});

test("every client receives close code 1012 when the server shuts down, and reconnects by itself", async () => {
  const [one, two, watcher] = await Promise.all(["one", "two", "three"].map(shared.connect));
  const { match, code } = await newMatch(one, two);
  await accepted(watcher, { type: "spectate", code });
  await Promise.all([one, two].map((client) => client.run({ do: "play", match, firstMoves: true, until: 8 })));
  assert.equal(await shared.server.drain(), 0);
  await shared.server.restart();
  for (const client of [one, two, watcher]) {
    const codes = await client.run({ do: "wait-for-connections", count: 2 });
    assert.equal(codes[0], 1012);
  }
  const [{ version }] = await Promise.all(
    [one, two].map((client) => client.run({ do: "play", match, firstMoves: true })),
  );
  await assertSameEvents([one, two, watcher], match, version);
});
