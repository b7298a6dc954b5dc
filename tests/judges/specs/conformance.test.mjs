/** The WebSocket itself: Autobahn's cases, and our own for what they leave out, by raw frames from Python. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { serve } from "../../browser/harness/server.mjs";
import { HERE, PYTHON } from "../harness/judges.mjs";

test("the server keeps RFC 6455", async (t) => {
  const server = await serve();
  try {
    const child = spawn(PYTHON, ["-m", "conformance", `${server.base.replace("http", "ws")}/ws`], {
      cwd: `${HERE}/python`,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let told = "";
    child.stdout.on("data", (text) => (told += text));
    const code = await new Promise((done) => child.once("close", done));
    for (const line of told.trim().split("\n")) t.diagnostic(line);
    assert.equal(code, 0, told);
  } finally {
    await server.stop();
  }
});
