// What a link shows where it is posted: its text and the picture of its game; and the icons of a home screen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, server } from "../harness/fixture.mjs";
import { click, create, myTurn } from "../harness/play.mjs";

/** @param {Buffer} png */
const size = (png) => {
  assert.deepEqual([...png.subarray(0, 8)], [...Buffer.from("\x89PNG\r\n\x1a\n", "latin1")]);
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
};

/** @param {string} text @param {string} name */
const tag = (text, name) => new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(text)?.[1];

test("a link to a match says who plays, and leads to the picture of its game", async () => {
  const { page, clean } = await browser.newUser(server);
  const path = await create(page, { position: "g6@3 time=5 nuggets=2 fib=3 fob=1", opponent: "bot", hidden: true });
  await myTurn(page);
  const read = async () => (await fetch(server.base + path)).text();
  const text = await read();
  assert.equal(tag(text, "og:url"), server.base + path);
  assert.equal(tag(text, "twitter:card"), "summary_large_image");
  assert.match(tag(text, "og:title") ?? "", /^Fib Fob: .+ against the .+ bot$/);
  assert.match(tag(text, "og:description") ?? "", /Position: g6@3 time=5/);
  const picture = await fetch(tag(text, "og:image") ?? "");
  assert.equal(picture.headers.get("content-type"), tag(text, "og:image:type"));
  assert.match(picture.headers.get("cache-control") ?? "", /^public, max-age=\d{6}$/);
  const sides = await page.evaluate(
    async (bytes) => {
      const { width, height } = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      return [width, height];
    },
    [...new Uint8Array(await picture.arrayBuffer())],
  );
  assert.deepEqual(sides, [1200, 630]);
  assert.deepEqual(sides, [Number(tag(text, "og:image:width")), Number(tag(text, "og:image:height"))]);
  await click(page, "spend fob");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length > 0);
  assert.notEqual(tag(await read(), "og:description"), tag(text, "og:description"));
  assert.equal((await fetch(`${server.base}/preview/nothing.jpg`)).status, 404);
  await clean();
});

test("the start page has a picture too, and the home screen's icons are there in their sizes", async () => {
  const text = await (await fetch(server.base)).text();
  const picture = await fetch(tag(text, "og:image") ?? "");
  assert.equal(picture.headers.get("content-type"), "image/jpeg");
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
