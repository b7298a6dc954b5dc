/** A server that soon gives a snapshot in place of frames: every judge is told the same by it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { JUDGES } from "../harness/judges.mjs";
import { accepted, sameLogs, seat, table } from "../harness/table.mjs";

const SNAPSHOT_AFTER = 4;

let here;
before(async () => {
  here = await table(["--snapshot-after", String(SNAPSHOT_AFTER)]);
});
after(() => here?.stop());

test("who is far behind gets a snapshot, and knows what the others know", async () => {
  const [one, two] = [await here.sit("node"), await here.sit("python")];
  const { match, code } = await seat(one, two);
  await Promise.all([one, two].map((judge) => judge.tell({ do: "play", match, long: true, until: 20 })));
  const late = await Promise.all(JUDGES.map(here.sit));
  for (const judge of late) await accepted(judge, { type: "spectate", code });
  await sameLogs([one, two, ...late], match, 20);
  for (const judge of late) assert.ok((await judge.tell({ do: "heard" })).snapshot >= 1, judge.kind);
  const [{ version }] = await Promise.all([one, two].map((judge) => judge.tell({ do: "play", match, long: true })));
  await sameLogs([one, two, ...late], match, version);
  await here.clear();
});
