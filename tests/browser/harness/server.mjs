/**
 * A real server on a port of its own, which can be killed, restarted, backed up and restored.
 */
import { execFile, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export const ROOT = new URL("../../../", import.meta.url).pathname;
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");
export const PROGRAM = process.env.FIBFOB_SERVER ?? join(TARGET, "debug", "fibfob-server");
const START_MS = 20_000;
/** The store's file; SQLite's other files begin with the same name. */
const STORE = "matches.sqlite";

/**
 * @param {object} options
 * @param {number} [options.pause] the bot's pause in milliseconds
 * @param {string[]} [options.options] further options of the program
 */
export async function serve({ pause = 0, options = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "fibfob-page-"));
  const further = ["--bot-pause", `${pause}ms`, ...options];
  let { child, address } = await start("127.0.0.1:0", folder, further);
  return {
    get base() {
      return address;
    },
    /** Ends the server as a loss of power would. */
    async kill() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
    },
    /** Shuts the server down as an operator would, and returns the exit code. */
    async drain() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      return ended;
    },
    /** Starts the server again on the same address. @param {string[]} [others] options for this run only */
    async restart(others = []) {
      ({ child } = await start(new URL(address).host, folder, [...further, ...others]));
    },
    /** Shuts the server down, copies its store, and starts it again. */
    async backup() {
      await this.drain();
      await copyStore(folder, join(folder, "backup"));
      await this.restart();
    },
    /** Kills the server, replaces its store by the backup, and starts it again. */
    async restore() {
      await this.kill();
      await copyStore(join(folder, "backup"), folder);
      await this.restart();
    },
    /** Does a command of the operator. @param {string[]} words */
    operate(...words) {
      return promisify(execFile)(PROGRAM, ["--store", `sqlite:${join(folder, STORE)}`, "admin", ...words]);
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) await this.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function start(listen, folder, further) {
  const args = ["--listen", listen, "--store", `sqlite:${join(folder, STORE)}`, "--log", "error", ...further];
  const child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error("the server did not start in time")), START_MS);
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
      const found = /http:\/\/[\d.]+:\d+/.exec(output);
      if (!found) return;
      clearTimeout(late);
      done({ child, address: found[0] });
    });
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}: ${output}`)));
  });
}

/** Replaces the store's files in one folder by those in another. */
async function copyStore(from, to) {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(to)) if (name.startsWith(STORE)) await rm(join(to, name));
  for (const name of await readdir(from)) if (name.startsWith(STORE)) await copyFile(join(from, name), join(to, name));
}
