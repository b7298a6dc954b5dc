/** Two clients play a match and others watch; all receive the same events. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { accepted, assertSameEvents, newMatch, fixture } from "../harness/fixture.mjs";

let shared;
before(async () => {
  shared = await fixture();
});
afterEach(() => shared?.clear());
after(() => shared?.stop());

test("two clients play a whole Fib Fob match, and a third one receives every event", async () => {
  const clients = await Promise.all(["one", "two", "watcher"].map(shared.connect));
  const [one, two, watcher] = clients;
  const { match, code } = await newMatch(one, two);
  const watched = await accepted(watcher, { type: "spectate", code: code.toLowerCase().replace(/(...)/, "$1-") });
  assert.equal(watched.seat, undefined);
  const [mine, theirs] = await Promise.all(
    [one, two].map((client) => client.run({ do: "play", match, firstMoves: true })),
  );
  assert.equal(mine.state.phase, "over");
  assert.ok(mine.state.plies >= 40);
  assert.equal(mine.version, theirs.version);
  const late = await shared.connect("late");
  await accepted(late, { type: "spectate", code });
  await assertSameEvents([...clients, late], match, mine.version);
  for (const client of clients) {
    assert.equal((await client.run({ do: "received" })).repeated, undefined, "an event came twice");
  }
});

test("a client lists the moves of every family, and the server accepts each", async () => {
  const [one, two] = await Promise.all(["one", "two"].map(shared.connect));
  const starts = [
    ["fib-fob", "g6@3 time=15 nuggets=5 fib=12 fob=9", 37],
    ["sum", "nim 3,4 + kayles xxx + rooks g6@3"],
    ["turning-turtles", "HTTHH"],
    ["kayles", "xxxxx.xxxxxx.xxx.xx"],
    ["ryuo-nim", "5,7,2 p=4 q=8"],
    ["ryuo-nim-3d", "5,7,2"],
    ["ryuo-nim-pass", "5,7 p=3 pass=yes"],
    ["wythoff-nim", "3,6", 3 + 6 + 3],
    ["staircase-nim", "4,2,3", 2 + 3],
    ["nim", "3,4,5", 3 + 4 + 5],
  ];
  for (const [game, position, count] of starts) {
    const { match, code } = await accepted(one, { type: "create", game, start: { position }, opponent: "friend" });
    await accepted(two, { type: "join", code });
    await one.run({ do: "wait-for", match, version: 2 });
    const moves = await one.run({ do: "moves", match });
    assert.equal(new Set(moves).size, moves.length, `${game}: a move is in two families`);
    if (count) assert.equal(moves.length, count, game);
    for (const move of moves) {
      const answer = await one.request({ type: "preview", match, move });
      assert.equal(answer.type, "preview", `${game} ${move}: ${answer.message}`);
    }
    for (const client of [one, two]) await accepted(client, { type: "leave", match });
  }
});
