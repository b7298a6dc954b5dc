/**
 * A server, a bare page and judges at it, each on a line of its own. Whoever leaves must have found no fault.
 */
import assert from "node:assert/strict";
import { serve } from "../../browser/harness/server.mjs";
import { bench, page } from "./judges.mjs";
import { line } from "./line.mjs";

/** Lasts at least 40 plies when every move is the smallest of its family: the clock alone takes as many. */
export const LONG_START = "h8@8 time=40 nuggets=3 fib=9 fob=9";

/** @param {string[]} options further options of the server */
export async function table(options = []) {
  const blank = await page();
  const server = await serve({ options: ["--allow-origin", blank.base, ...options] }).catch(async (fault) => {
    await blank.stop();
    throw fault;
  });
  const judges = await bench(blank);
  const seated = [];
  return {
    server,
    /** @param {string} kind one of `JUDGES` */
    async sit(kind) {
      const own = await line(server);
      const judge = await judges.judge(kind);
      const welcome = await judge.tell({ do: "connect", url: own.url, name: kind });
      const guest = { ...judge, line: own, welcome };
      seated.push(guest);
      return guest;
    },
    /** Everybody leaves, whatever happened to them; the server stays for the next. */
    async clear() {
      const found = await Promise.allSettled(
        seated.splice(0).map(async ({ kind, tell, end, line }) => {
          try {
            assert.deepEqual(await tell({ do: "faults" }), [], `what ${kind} found`);
          } finally {
            await end();
            await line.stop();
          }
        }),
      );
      for (const one of found) if (one.status === "rejected") throw one.reason;
    },
    async stop() {
      await judges.stop();
      await server.stop();
      await blank.stop();
    },
  };
}

/**
 * `creator` makes a match and `joiner` takes the other seat.
 * @returns {Promise<{ match: string, code: string }>}
 */
export async function seat(creator, joiner, fields = {}) {
  const made = await accepted(creator, {
    type: "create",
    game: "fib-fob",
    start: { position: LONG_START },
    against: "friend",
    begins: "me",
    ...fields,
  });
  assert.equal(made.version, 1);
  assert.equal(made.seat, "creator");
  const joined = await accepted(joiner, { type: "join", code: made.code });
  assert.deepEqual([joined.match, joined.version, joined.seat], [made.match, 2, "joiner"]);
  return made;
}

export async function accepted(judge, request) {
  const answer = await judge.ask(request);
  assert.equal(answer.type, "accepted", JSON.stringify(answer));
  return answer;
}

/** Everybody has been told the same events, from the first to `version`. */
export async function sameLogs(judges, match, version) {
  const [first, ...others] = await Promise.all(judges.map((judge) => judge.tell({ do: "see", match, version })));
  assert.deepEqual(
    first.events.map((event) => event.version),
    Array.from({ length: first.version }, (_, i) => i + 1),
  );
  for (const other of others) {
    assert.deepEqual(other.events, first.events);
    assert.deepEqual({ ...other.state, spectators: 0 }, { ...first.state, spectators: 0 });
  }
  return first;
}
