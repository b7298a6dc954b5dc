/**
 * A real server on a port of its own, which can be killed and started again over the same matches.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = new URL("../../../", import.meta.url).pathname;
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");
const PROGRAM = process.env.FIBFOB_SERVER ?? join(TARGET, "debug", "fibfob-server");
const START_MS = 20_000;

/**
 * @param {object} options
 * @param {number} [options.pause] the bot's pause in milliseconds
 * @param {string[]} [options.options] further options of the program
 */
export async function serve({ pause = 0, options = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "fibfob-page-"));
  const further = ["--bot-pause", String(pause), ...options];
  let { child, address } = await start("127.0.0.1:0", folder, further);
  return {
    get base() {
      return address;
    },
    /** As a loss of power would end it. */
    async kill() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
    },
    /** As an operator ends it; gives the exit code. */
    async drain() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      return ended;
    },
    async restart() {
      ({ child } = await start(new URL(address).host, folder, further));
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) await this.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function start(listen, folder, further) {
  const args = [
    "--listen",
    listen,
    "--store",
    `sqlite:${join(folder, "matches.sqlite")}`,
    "--log",
    "error",
    ...further,
  ];
  const child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error("the server did not start in time")), START_MS);
    let told = "";
    child.stdout.on("data", (text) => {
      told += text;
      const found = /http:\/\/[\d.]+:\d+/.exec(told);
      if (!found) return;
      clearTimeout(late);
      done({ child, address: found[0] });
    });
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}: ${told}`)));
  });
}
