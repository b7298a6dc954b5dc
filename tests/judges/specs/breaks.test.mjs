/** Lines that break and servers that are killed, in the middle of a match: nothing is lost and nothing counts twice. */
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

const KILLS = 3;
const BETWEEN = 6;
/** Whom each meets: somebody of another language, and no second browser. */
const OTHER = { python: "node", node: "python", browser: "python" };

for (const kind of JUDGES) {
  test(`${kind} goes on after the server was killed in the middle of a match`, async () => {
    const [judge, friend] = [await here.sit(kind), await here.sit(OTHER[kind])];
    const { match } = await seat(judge, friend);
    const both = [judge, friend];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const stop = 2 + kill * BETWEEN;
      const playing = both.map((one) => one.tell({ do: "play", match, long: true, until: stop }));
      await friend.tell({ do: "see", match, version: stop - BETWEEN + 2 });
      await here.server.kill();
      await here.server.restart();
      await Promise.all(both.map((one) => one.tell({ do: "lines", count: kill + 1 })));
      for (const { state } of await Promise.all(playing)) assert.equal(state.phase, "playing");
      await sameLogs(both, match, stop);
    }
    const [{ version, state }] = await Promise.all(both.map((one) => one.tell({ do: "play", match, long: true })));
    assert.equal(state.phase, "over");
    await sameLogs(both, match, version);
  });

  test(`${kind} moves once when the answer was lost with its line`, async () => {
    const [judge, friend] = [await here.sit(kind), await here.sit(OTHER[kind])];
    const { match } = await seat(judge, friend);
    const before = (
      await Promise.all([judge, friend].map((one) => one.tell({ do: "play", match, long: true, until: 6 })))
    )[0].version;
    const mover = before % 2 === 0 ? judge : friend;
    const watcher = mover === judge ? friend : judge;
    mover.line.deafen();
    const moving = mover.tell({ do: "play", match, long: true, until: before + 1 });
    await watcher.tell({ do: "see", match, version: before + 1 });
    mover.line.cut();
    assert.equal((await moving).version, before + 1);
    await sameLogs([judge, friend], match, before + 1);
    const [{ version }] = await Promise.all([judge, friend].map((one) => one.tell({ do: "play", match, long: true })));
    await sameLogs([judge, friend], match, version);
  });

  test(`${kind} makes one match and takes one seat when the answers were lost with its line`, async () => {
    const [judge, friend] = [await here.sit(kind), await here.sit(OTHER[kind])];
    const mine = ({ creator }) => creator.guest === judge.welcome.guest;
    await accepted(friend, { type: "lobby", watch: true });
    judge.line.deafen();
    const creating = judge.ask({ type: "create", game: "nim", start: { position: "3,4,5" }, begins: "other" });
    const shown = (await friend.tell({ do: "lobby", guest: judge.welcome.guest })).open.filter(mine);
    judge.line.cut();
    const made = await creating;
    assert.deepEqual(
      shown.map(({ code }) => code),
      [made.code],
    );

    friend.line.deafen();
    const joining = friend.ask({ type: "join", code: made.code });
    await judge.tell({ do: "see", match: made.match, version: 2 });
    friend.line.cut();
    assert.deepEqual([(await joining).seat, (await joining).version], ["joiner", 2]);
    const [{ version, state }] = await Promise.all(
      [judge, friend].map((one) => one.tell({ do: "play", match: made.match })),
    );
    assert.equal(state.phase, "over");
    await sameLogs([judge, friend], made.match, version);
  });

  test(`${kind} gets the first answer again for the same id, also from another process`, async () => {
    const [judge, friend] = [await here.sit(kind), await here.sit(OTHER[kind])];
    const made = await seat(judge, friend, { id: `${kind}-made` });
    const { match } = made;
    const { state } = await judge.tell({ do: "see", match, version: 2 });
    assert.equal(state.turn, "creator");
    const play = { type: "play", id: `${kind}-same`, match, expecting: 2, move: "time -1" };
    const first = await accepted(judge, play);
    assert.equal(first.version, 3);
    await friend.tell({ do: "play", match, until: 4 });
    assert.deepEqual(await judge.tell({ do: "repeat", id: play.id }), first);
    await here.server.kill();
    await here.server.restart();
    await judge.tell({ do: "lines", count: 2 });
    assert.deepEqual(await judge.tell({ do: "repeat", id: play.id }), first);
    assert.deepEqual(await judge.tell({ do: "repeat", id: `${kind}-made` }), made);
    const seen = await sameLogs([judge, friend], match, 4);
    assert.equal(seen.version, 4);
  });
}

test("every judge is told when the server ends, and comes back by itself", async () => {
  const [python, node, browser] = await Promise.all(JUDGES.map(here.sit));
  const { match, code } = await seat(python, node);
  await accepted(browser, { type: "spectate", code });
  await Promise.all([python, node].map((one) => one.tell({ do: "play", match, long: true, until: 8 })));
  assert.equal(await here.server.drain(), 0);
  await here.server.restart();
  for (const one of [python, node, browser]) {
    assert.deepEqual(await one.tell({ do: "lines", count: 2 }).then((codes) => codes[0]), 1012, one.kind);
  }
  const [{ version }] = await Promise.all([python, node].map((one) => one.tell({ do: "play", match, long: true })));
  await sameLogs([python, node, browser], match, version);
});
