/**
 * Holds the messages that the tests have recorded against the schema, with two validators.
 * `node recorded.mjs FOLDER`
 */
import { execFileSync } from "node:child_process";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Ajv from "ajv/dist/2020.js";
import { PYTHON } from "./harness/python.mjs";

const SCHEMA = new URL("../../protocol/schema/fibfob.v1.schema.json", import.meta.url).pathname;
/** The definitions of the messages of each side. */
const SIDES = { client: "ClientMessage", server: "ServerMessage" };

const folder = process.argv[2];
const ajv = new Ajv();
ajv.addSchema(JSON.parse(readFileSync(SCHEMA, "utf8")), "v1");
let isValid = true;
for (const [side, name] of Object.entries(SIDES)) {
  const file = join(folder, `${side}.jsonl`);
  const valid = ajv.getSchema(`v1#/$defs/${name}`);
  let [messages, invalid] = [0, 0];
  for await (const text of createInterface({ input: createReadStream(file) })) {
    messages += 1;
    if (valid(JSON.parse(text))) continue;
    invalid += 1;
    if (invalid < 5) console.error(text, valid.errors?.slice(0, 3));
  }
  console.log(`ajv: ${messages} messages of the ${side}: ${invalid} invalid`);
  isValid &&= messages > 0 && invalid === 0;
}
// It prints the same, and fails by itself.
const python = new URL("recorded.py", import.meta.url).pathname;
execFileSync(PYTHON, [python, SCHEMA, folder, ...Object.entries(SIDES).flat()], { stdio: "inherit" });
process.exitCode = isValid ? 0 : 1;
