/** Two clients play a match and a third one watches; all receive the same events. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { KINDS } from "../harness/clients.mjs";
import { accepted, assertSameEvents, newMatch, fixture } from "../harness/fixture.mjs";

let shared;
before(async () => {
  shared = await fixture();
});
afterEach(() => shared?.clear());
after(() => shared?.stop());

test("Python and Node play a whole Fib Fob match, and the browser receives every event", async () => {
  const [python, node, browser] = await Promise.all(["python", "node", "browser"].map(shared.connect));
  const { match, code } = await newMatch(python, node);
  const watched = await accepted(browser, { type: "spectate", code: code.toLowerCase().replace(/(...)/, "$1-") });
  assert.equal(watched.seat, undefined);
  const [mine, theirs] = await Promise.all(
    [python, node].map((client) => client.run({ do: "play", match, firstMoves: true })),
  );
  assert.equal(mine.state.phase, "over");
  assert.ok(mine.state.plies >= 40);
  assert.equal(mine.version, theirs.version);
  await assertSameEvents([python, node, browser], match, mine.version);
  for (const one of [python, node, browser]) {
    assert.equal((await one.run({ do: "received" })).repeated, undefined, `${one.kind}: an event came twice`);
  }
});

test("a spectator who joins late or after the end receives all events", async () => {
  const [python, node, browser] = await Promise.all(["python", "node", "browser"].map(shared.connect));
  const { match, code } = await newMatch(node, browser);
  await Promise.all([node, browser].map((client) => client.run({ do: "play", match, firstMoves: true, until: 9 })));
  await accepted(python, { type: "spectate", code });
  await assertSameEvents([python, node, browser], match, 9);
  const [{ version }] = await Promise.all(
    [node, browser].map((client) => client.run({ do: "play", match, firstMoves: true })),
  );
  const late = await shared.connect("node");
  await accepted(late, { type: "spectate", code });
  await assertSameEvents([python, node, browser, late], match, version);
});

test("all three clients list the same legal moves from the move families", async () => {
  const clients = await Promise.all(KINDS.map(shared.connect));
  const [first] = clients;
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
    const { match, code } = await accepted(first, { type: "create", game, start: { position }, opponent: "friend" });
    await accepted(clients[1], { type: "join", code });
    await accepted(clients[2], { type: "spectate", code });
    const lists = await Promise.all(
      clients.map(async (client) => {
        await client.run({ do: "wait-for", match, version: 2 });
        return (await client.run({ do: "moves", match })).toSorted();
      }),
    );
    for (const list of lists) assert.deepEqual(list, lists[0], game);
    assert.equal(new Set(lists[0]).size, lists[0].length, `${game}: a move is in two families`);
    if (count) assert.equal(lists[0].length, count, game);
    // The server accepts each of them.
    for (const move of lists[0]) {
      const answer = await first.request({ type: "preview", match, move });
      assert.equal(answer.type, "preview", `${game} ${move}: ${answer.message}`);
    }
    for (const client of clients) await accepted(client, { type: "leave", match });
  }
});
