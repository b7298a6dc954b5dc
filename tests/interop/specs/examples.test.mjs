/** The programs in `examples/` and the client library's, as their readers run them. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { ROOT, serve, TARGET } from "../../browser/harness/server.mjs";
import { proxy } from "../harness/proxy.mjs";
import { PYTHON } from "../harness/python.mjs";
import { PROTOCOL } from "../javascript/client.mjs";

const EXAMPLES = join(ROOT, "examples");
/** The bound on one match of an example; generous, because machines are shared. */
const MATCH_MS = 60_000;
/** Long enough between two moves of the server's bot that a kill hits the match. */
const PAUSE_MS = 200;

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "fibfob-examples-"));
  // A reader has done `npm install ws` beside it.
  await copyFile(join(EXAMPLES, "bot.mjs"), join(folder, "bot.mjs"));
  await symlink(join(ROOT, "tests/interop/node_modules"), join(folder, "node_modules"));
  await promisify(execFile)("cc", ["-Wall", "-Wextra", "-Werror", "-o", join(folder, "bot"), join(EXAMPLES, "bot.c")]);
});
after(() => rm(folder, { recursive: true, force: true }));

/** How each example is started, what it says at the end, and whether it survives a killed server. */
const KINDS = {
  python: { command: (game, base) => [PYTHON, join(EXAMPLES, "bot.py"), game, socket(base)], ends: /^(won|lost)$/m },
  node: {
    command: (game, base) => [process.execPath, join(folder, "bot.mjs"), game, socket(base)],
    ends: /^(won|lost)$/m,
    survives: true,
  },
  c: { command: (game, base) => [join(folder, "bot"), ...play(game, base)], ends: /"winner":/, survives: true },
  shell: {
    command: (game, base) => ["sh", join(EXAMPLES, "bot.sh"), ...play(game, base)],
    ends: /\bwins?\b/,
    survives: true,
  },
  rust: {
    command: (game, base) => [join(TARGET, "debug/examples/bot"), base, game],
    ends: /has won$/m,
    survives: true,
  },
};
const socket = (base) => `${base.replace("http", "ws")}/ws`;
const play = (game, base) => ["--game", game, "--server", base];

/** Runs an example until its match is over. */
async function run(kind, game, server) {
  const between = await proxy(server);
  const [program, ...args] = KINDS[kind].command(game, between.base);
  const PATH = [join(TARGET, "debug"), process.env.PATH].join(delimiter);
  const child = spawn(program, args, {
    env: { ...process.env, PATH, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: MATCH_MS,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const code = await new Promise((done, fail) => child.once("close", done).once("error", fail));
  await between.stop();
  assert.equal(code, 0, `${kind}, ${game}: ${output}`);
  assert.match(output, KINDS[kind].ends, `${kind}, ${game}`);
}

/** Follows the first match in play, and returns when two moves were made in it. */
async function twoMoves(base) {
  const connection = new WebSocket(socket(base), PROTOCOL);
  const send = (message) => connection.send(JSON.stringify(message));
  let moves = 0;
  await new Promise((done) => {
    connection.on("open", () => {
      send({ type: "hello", protocol: PROTOCOL });
      send({ type: "lobby", id: "lobby", watch: true });
    });
    connection.on("message", (text) => {
      const message = JSON.parse(String(text));
      if (message.playing?.length) send({ type: "spectate", id: "watch", code: message.playing[0].code });
      if (message.event === "moved") moves += 1;
      if (moves === 2) done(null);
    });
  });
  connection.terminate();
}

for (const kind of Object.keys(KINDS)) {
  test(`${kind}: the example plays every game to its end`, async () => {
    const server = await serve();
    const { games } = await welcome(server.base);
    assert.equal(games.length, 18);
    for (const game of games) await run(kind, game, server);
    await server.stop();
  });
}

for (const kind of Object.keys(KINDS).filter((kind) => KINDS[kind].survives)) {
  test(`${kind}: the example plays on after the server was killed`, async () => {
    const server = await serve({ pause: PAUSE_MS });
    const played = run(kind, "fib-fob", server);
    await Promise.race([played, twoMoves(server.base)]);
    await server.kill();
    await server.restart();
    await played;
    await server.stop();
  });
}

test("python: the host plays whoever joins, and opens the next match", async () => {
  const server = await serve();
  const host = spawn(PYTHON, [join(EXAMPLES, "host.py"), "nim", socket(server.base)], { timeout: MATCH_MS });
  const connection = new WebSocket(socket(server.base), PROTOCOL);
  const send = (message) => connection.send(JSON.stringify({ id: randomUUID(), ...message }));
  const opened = [];
  let over = false;
  await new Promise((done) => {
    connection.on("open", () => {
      send({ type: "hello", protocol: PROTOCOL });
      send({ type: "lobby", watch: true });
    });
    connection.on("message", (text) => {
      const message = JSON.parse(String(text));
      for (const { code, creator } of message.open ?? []) {
        assert.deepEqual([creator.kind, creator.author], ["program", "Cy Carter"]);
        if (!opened.length) send({ type: "join", code });
        if (!opened.includes(code)) opened.push(code);
      }
      const { match, version } = message;
      const { phase, legal } = message.state ?? message.change ?? {};
      if (phase === "choosing") send({ type: "choose", match, order: "first" });
      if (legal) send({ type: "play", match, expecting: version, move: legal[0] });
      over ||= phase === "over";
      if (over && opened.length === 2) done(null);
    });
  });
  connection.terminate();
  host.kill();
  await server.stop();
});

async function welcome(base) {
  const connection = new WebSocket(socket(base), PROTOCOL);
  connection.on("open", () => connection.send(JSON.stringify({ type: "hello", protocol: PROTOCOL })));
  const text = await new Promise((done) => connection.once("message", done));
  connection.terminate();
  return JSON.parse(String(text));
}
