/** Types of the messages, which generators make of the schema alone, and a small bot on each. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";
import { compileFromFile } from "json-schema-to-typescript";
import { TARGET } from "../../browser/harness/server.mjs";
import { PYTHON } from "../harness/python.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const protocol = join(here, "../../protocol");
const SCHEMA = join(protocol, "schema/fibfob.v1.schema.json");
const LINES = join(protocol, "schema/fibfob.json-lines.schema.json");
const folder = mkdtempSync(join(tmpdir(), "fibfob-types-"));
after(() => rmSync(folder, { recursive: true }));

const written = (name, text) => writeFileSync(join(folder, name), text);
const run = (program, ...options) => execFileSync(program, options, { cwd: folder, encoding: "utf8" });
const golden = (side) =>
  readdirSync(join(protocol, "golden"))
    .filter((name) => name.startsWith(side))
    .map((name) => JSON.parse(readFileSync(join(protocol, "golden", name), "utf8")));

test("TypeScript's types have every field and name, and a bot on them compiles", async () => {
  const types = await compileFromFile(SCHEMA, { additionalProperties: false });
  assert.doesNotMatch(types, /[:[,|] ?unknown\b/);
  assert.doesNotMatch(types, /^export (interface|type) \w*\d\b/m);
  assert.match(types, /^export interface WelcomeMessage \{/m);
  written("fibfob.d.ts", types);
  copyFileSync(join(here, "types/bot.ts"), join(folder, "bot.ts"));
  run(join(here, "node_modules/.bin/tsc"), "--strict", "--noEmit", "bot.ts");
});

test("Python's models have every name and read every message, and a bot on them passes its check", () => {
  const bin = dirname(PYTHON);
  run(
    join(bin, "datamodel-codegen"),
    ...["--input", SCHEMA, "--input-file-type", "jsonschema", "--output", "fibfob.py"],
    ...["--output-model-type", "pydantic_v2.BaseModel", "--use-annotated", "--target-python-version", "3.11"],
  );
  const models = readFileSync(join(folder, "fibfob.py"), "utf8");
  assert.doesNotMatch(models, /^class \w*\d\b/m);
  assert.doesNotMatch(models, /\bAny\b/);
  copyFileSync(join(here, "types/bot.py"), join(folder, "bot.py"));
  run(join(bin, "mypy"), "--strict", "bot.py");
  const messages = golden("server").map((message) => JSON.stringify(message));
  const input = messages.join("\n");
  const positions = execFileSync(PYTHON, ["bot.py"], { cwd: folder, input, encoding: "utf8" });
  assert.equal(positions.split("\n").length, messages.length + 1);
  assert.ok(positions.includes("g6@3"), "the position of a frame");
});

test("ajv takes the schema as it is, in strict mode, and every golden message by it", () => {
  const valid = new Ajv({ strict: true }).compile(JSON.parse(readFileSync(SCHEMA, "utf8")));
  for (const message of [...golden("client"), ...golden("server")]) {
    assert.ok(valid(message), JSON.stringify([message, valid.errors?.slice(0, 3)]));
  }
  assert.ok(!valid({ type: "play", id: "a" }), "a play without a move");
  const create = golden("client").find((message) => message.type === "create");
  assert.ok(!valid({ ...create, fist: "me" }), "a misspelt field");
});

test("every line of the terminal client is valid, and a match without a server lists its moves", async () => {
  const valid = new Ajv({ strict: true }).compile(JSON.parse(readFileSync(LINES, "utf8")));
  const types = await compileFromFile(LINES, { additionalProperties: false });
  assert.match(types, /^export interface Disconnected \{/m);
  const program = join(TARGET, "debug/fibfob");
  const played = run(program, ..."play --offline --bot casual --game nim --auto=random --json --guest".split(" "));
  const lines = played
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of lines) assert.ok(valid(line), JSON.stringify([line, valid.errors?.slice(0, 3)]));
  const [welcome] = lines;
  assert.equal(welcome.type, "welcome");
  assert.ok(welcome.games.includes("nim") && welcome.limits.name_chars > 0);
  const legal = lines.flatMap(({ state }) => state?.legal ?? []);
  assert.ok(legal.length > 0 && legal.every((move) => /^take \d+ from \d+$/.test(move)), JSON.stringify(legal));
});
