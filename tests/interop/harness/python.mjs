/** The interpreter whose packages `run` has installed. */
import { join } from "node:path";

const HERE = new URL("../", import.meta.url).pathname;
const TARGET = process.env.CARGO_TARGET_DIR ?? join(HERE, "../../target");
export const PYTHON = process.env.FIBFOB_INTEROP_PYTHON ?? join(TARGET, "interop/venv/bin/python");
