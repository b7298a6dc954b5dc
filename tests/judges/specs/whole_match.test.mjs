/** Two judges play each other and the third looks on; what each was told is the same. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { JUDGES } from "../harness/judges.mjs";
import { accepted, sameLogs, seat, table } from "../harness/table.mjs";

let here;
before(async () => {
  here = await table();
});
afterEach(() => here?.clear());
after(() => here?.stop());

test("Python plays Node a whole Fib Fob match and the browser sees all of it", async () => {
  const [python, node, browser] = await Promise.all(["python", "node", "browser"].map(here.sit));
  const { match, code } = await seat(python, node);
  const watched = await accepted(browser, { type: "spectate", code: code.toLowerCase().replace(/(...)/, "$1-") });
  assert.equal(watched.seat, undefined);
  const [mine, theirs] = await Promise.all(
    [python, node].map((judge) => judge.tell({ do: "play", match, long: true })),
  );
  assert.equal(mine.state.phase, "over");
  assert.ok(mine.state.plies >= 40);
  assert.equal(mine.version, theirs.version);
  await sameLogs([python, node, browser], match, mine.version);
  for (const one of [python, node, browser]) {
    assert.equal((await one.tell({ do: "heard" })).again, undefined, `${one.kind}: nothing came twice`);
  }
});

test("a spectator who comes late, and one who comes to a finished match, are told everything", async () => {
  const [python, node, browser] = await Promise.all(["python", "node", "browser"].map(here.sit));
  const { match, code } = await seat(node, browser);
  await Promise.all([node, browser].map((judge) => judge.tell({ do: "play", match, long: true, until: 9 })));
  await accepted(python, { type: "spectate", code });
  await sameLogs([python, node, browser], match, 9);
  const [{ version }] = await Promise.all(
    [node, browser].map((judge) => judge.tell({ do: "play", match, long: true })),
  );
  const late = await here.sit("node");
  await accepted(late, { type: "spectate", code });
  await sameLogs([python, node, browser, late], match, version);
});

test("all three read the same legal moves from the families", async () => {
  const judges = await Promise.all(JUDGES.map(here.sit));
  const [first] = judges;
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
    const { match, code } = await accepted(first, { type: "create", game, start: { position }, against: "friend" });
    await accepted(judges[1], { type: "join", code });
    await accepted(judges[2], { type: "spectate", code });
    const lists = await Promise.all(
      judges.map(async (judge) => {
        await judge.tell({ do: "see", match, version: 2 });
        return (await judge.tell({ do: "moves", match })).toSorted();
      }),
    );
    for (const list of lists) assert.deepEqual(list, lists[0], game);
    assert.equal(new Set(lists[0]).size, lists[0].length, `${game}: a move stands in two families`);
    if (count) assert.equal(lists[0].length, count, game);
    // Each of them is legal to the server as well.
    for (const move of lists[0]) {
      const answer = await first.ask({ type: "preview", match, move });
      assert.equal(answer.type, "preview", `${game} ${move}: ${answer.message}`);
    }
    for (const judge of judges) await accepted(judge, { type: "leave", match });
  }
});
