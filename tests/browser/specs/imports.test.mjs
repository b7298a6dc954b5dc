// The imports of the page's modules: only the arrows that ARCHITECTURE.md draws, and no circle.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const WEB = new URL("../../../server/web/", import.meta.url).pathname;

/** The folders that each folder may import from, besides itself. The empty name holds `main.js` and its neighbours. */
const ALLOWED = {
  "": ["views", "wire", "words"],
  views: ["pictures", "play", "wire", "words", "dom"],
  pictures: ["play", "words", "dom"],
  play: [],
  wire: [],
  words: [],
  dom: [],
};

/** @param {string} path */
const folder = (path) => (path.includes("/") ? path.split("/")[0] : "");

/** @returns {Promise<Map<string, string[]>>} the modules that each module imports, as paths below server/web */
async function readImports() {
  const paths = (await readdir(WEB, { recursive: true })).filter((path) => path.endsWith(".js"));
  const imports = new Map();
  for (const path of paths.sort()) {
    const code = (await readFile(join(WEB, path), "utf8")).replaceAll(/\/\*[^]*?\*\//g, "");
    const found = [
      ...code.matchAll(/^(?:import|export)\b[^;"]*"(\.[^"]+)";/gm),
      ...code.matchAll(/\bimport\("(\.[^"]+)"\)/g),
    ];
    imports.set(
      path,
      found.map(([, target]) => normalize(join(dirname(path), target))),
    );
  }
  return imports;
}

test("modules import only from the folders that ARCHITECTURE.md allows", async () => {
  const imports = await readImports();
  assert.ok(imports.size > 40, "the modules were found");
  const wrong = [];
  for (const [path, targets] of imports) {
    for (const target of targets) {
      assert.ok(imports.has(target), `${path} imports ${target}, which does not exist`);
      const [from, to] = [folder(path), folder(target)];
      if (from !== to && !ALLOWED[from]?.includes(to)) wrong.push(`${path} → ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("modules import each other without a circle", async () => {
  const imports = await readImports();
  const done = new Set();
  const visit = (path, trail) => {
    assert.ok(!trail.includes(path), `circle: ${[...trail.slice(trail.indexOf(path)), path].join(" → ")}`);
    if (done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
});
