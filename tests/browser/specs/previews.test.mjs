// What a link shows where it is posted: the tags, the picture of the position, and the icons of a home screen.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { ARTIFACTS } from "../harness/browser.mjs";
import { browser, server } from "../harness/fixture.mjs";
import { click, create, my_turn } from "../harness/play.mjs";

/** @param {Buffer} png */
const size = (png) => {
  assert.deepEqual([...png.subarray(0, 8)], [...Buffer.from("\x89PNG\r\n\x1a\n", "latin1")]);
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
};

/** @param {string} text @param {string} name */
const tag = (text, name) => new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(text)?.[1];

test("a link to a match has a picture of its position, which changes with the match", async () => {
  const { page, clean } = await browser.new_user(server);
  const path = await create(page, { position: "g6@3 time=5 nuggets=2 fib=3 fob=1", opponent: "bot", hidden: true });
  await my_turn(page);
  const text = await (await fetch(server.base + path)).text();
  assert.equal(tag(text, "og:url"), server.base + path);
  assert.equal(tag(text, "twitter:card"), "summary_large_image");
  assert.match(tag(text, "og:title") ?? "", new RegExp(path.slice(3)));
  const address = tag(text, "og:image") ?? "";
  const first = await fetch(address);
  assert.equal(first.headers.get("content-type"), "image/png");
  const png = Buffer.from(await first.arrayBuffer());
  assert.deepEqual(size(png), [1200, 630]);
  assert.deepEqual(size(png), [Number(tag(text, "og:image:width")), Number(tag(text, "og:image:height"))]);
  await writeFile(`${ARTIFACTS}preview.png`, png);
  const tagged = { headers: { "if-none-match": first.headers.get("etag") ?? "" } };
  assert.equal((await fetch(address, tagged)).status, 304);
  await click(page, "spend fob");
  const second = await fetch(address, tagged);
  assert.equal(second.status, 200);
  assert.notDeepEqual(Buffer.from(await second.arrayBuffer()), png);
  assert.equal((await fetch(`${server.base}/m/nothing/preview.png`)).status, 404);
  assert.equal((await fetch(`${server.base}/m/ZZZZZZ/preview.png`)).status, 404);
  await clean();
});

test("the start page has a picture too, and the home screen's icons are there in their sizes", async () => {
  const text = await (await fetch(server.base)).text();
  const png = await fetch(tag(text, "og:image") ?? "");
  assert.deepEqual(size(Buffer.from(await png.arrayBuffer())), [1200, 630]);
  const [, folder] = /href="([^"]*)\/icon_180\.png"/.exec(text) ?? [];
  const icon = async (/** @type {string} */ name) => {
    const answer = await fetch(`${server.base}${folder}/${name}`);
    assert.equal(answer.headers.get("content-type"), "image/png", name);
    return size(Buffer.from(await answer.arrayBuffer()));
  };
  assert.deepEqual(await icon("icon_180.png"), [180, 180]);
  const manifest = await (await fetch(`${server.base}${folder}/app.webmanifest`)).json();
  for (const { src, sizes, type } of manifest.icons) {
    if (type === "image/png") assert.equal((await icon(src)).join("x"), sizes, src);
  }
});
