/**
 * A primary, its standby, three servers and a balancer, as an operator would start them.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { PROGRAM, ROOT } from "./server.mjs";

/** Bounds the start of all of it, with the copy of a database. */
const START_MS = 300_000;
/** Ports that follow each other: the balancer's, the servers', the databases'. */
const PORTS = 6;
const TRIES = 20;

export async function startCluster() {
  const port = await freePorts();
  const child = spawn(join(ROOT, "tests/cluster/start"), {
    env: { ...process.env, PORT: String(port), FIBFOB_SERVER: PROGRAM },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const folder = await isReady(child);
  return {
    base: `http://127.0.0.1:${port}`,
    servers: [1, 2, 3],
    /** Ends a server as a loss of power would; it is started again. */
    async kill(/** @type {number} */ number) {
      process.kill(Number(await readFile(join(folder, `server-${number}.pid`), "utf8")), "SIGKILL");
    },
    /** Kills the primary and promotes its standby. */
    failOver() {
      child.kill("SIGUSR1");
    },
    async stop() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/**
 * @param {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, null>} child
 * @returns {Promise<string>} the folder of all processes
 */
function isReady(child) {
  return new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error("the cluster did not start in time")), START_MS);
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
      const found = /^ready in (\S+);/m.exec(output);
      if (!found) return;
      clearTimeout(late);
      done(found[1]);
    });
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`the cluster ended with ${code}: ${output}`)));
  });
}

/** Finds a port that is free together with those after it. */
async function freePorts() {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const ports = Array.from({ length: PORTS }, (_, step) => first + step);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
  throw new Error("no free ports");
}

function isFree(/** @type {number} */ port) {
  return new Promise((done) => {
    const taken = createServer();
    taken.once("error", () => done(false));
    taken.listen(port, "127.0.0.1", () => taken.close(() => done(true)));
  });
}
