/** A server that sends a snapshot after few frames: it tells every client the same as the frames. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accepted, assertSameEvents, newMatch, fixture } from "../harness/fixture.mjs";

const SNAPSHOT_AFTER = 4;

let shared;
before(async () => {
  shared = await fixture(["--snapshot-after", String(SNAPSHOT_AFTER)]);
});
after(() => shared?.stop());

test("a client far behind receives a snapshot and has the same events as the others", async () => {
  const [one, two] = [await shared.connect("one"), await shared.connect("two")];
  const { match, code } = await newMatch(one, two);
  await Promise.all([one, two].map((client) => client.run({ do: "play", match, firstMoves: true, until: 20 })));
  const late = await shared.connect("late");
  await accepted(late, { type: "spectate", code });
  await assertSameEvents([one, two, late], match, 20);
  assert.ok((await late.run({ do: "received" })).snapshot >= 1);
  const [{ version }] = await Promise.all(
    [one, two].map((client) => client.run({ do: "play", match, firstMoves: true })),
  );
  await assertSameEvents([one, two, late], match, version);
  await shared.clear();
});
