// The delivery of the page: size, content security policy, caching, layout shifts; and its types.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { test } from "node:test";
import { create, online } from "../harness/play.mjs";
import { browser, server } from "../harness/fixture.mjs";

const PAINT_BYTES_MAX = 100_000;
const REQUESTS_MAX = 15;
/** The cumulative layout shift of a first visit. */
const SHIFT_MAX = 0.01;

test("the first visit loads less than 100 KB in at most 15 requests, and the second one only the index", async () => {
  const { page, context, clean } = await browser.newUser(server);
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  let requests = 0;
  session.on("Network.requestWillBeSent", () => requests++);
  session.on("Network.webSocketCreated", () => requests++);
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto("/");
  await page.waitForSelector(".game");
  await online(page);
  assert.ok(bytes > 10_000 && bytes < PAINT_BYTES_MAX, `${bytes} bytes`);
  assert.ok(requests > 3 && requests <= REQUESTS_MAX, `${requests} requests`);
  console.log(`first visit: ${bytes} bytes, ${requests} requests`);
  bytes = 0;
  await page.goto("/");
  await page.waitForSelector(".game");
  assert.ok(bytes < 20_000, String(bytes));
  await clean();
});

test("files are immutable and compressed, and the index has a strict content security policy", async () => {
  const index = await fetch(server.base);
  const policy = index.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|http/);
  const text = await index.text();
  assert.doesNotMatch(text, /style=|<script>|onclick/);
  const [, path] = /src="([^"]*main\.js)"/.exec(text) ?? [];
  const main = await fetch(server.base + path);
  assert.match(main.headers.get("cache-control") ?? "", /immutable/);
  assert.equal(main.headers.get("content-encoding"), "gzip");
  const again = await fetch(server.base, { headers: { "if-none-match": index.headers.get("etag") ?? "" } });
  assert.equal(again.status, 304);
});

test("the page can be installed: its manifest and icons load under the policy", async () => {
  const index = await fetch(server.base);
  assert.match(index.headers.get("content-security-policy") ?? "", /manifest-src 'self'/);
  const text = await index.text();
  for (const property of ["og:title", "og:description", "og:site_name"]) assert.match(text, new RegExp(property));
  const [, path] = /rel="manifest" href="([^"]*)"/.exec(text) ?? [];
  const file = await fetch(server.base + path);
  assert.equal(file.headers.get("content-type"), "application/manifest+json");
  const manifest = await file.json();
  assert.equal(manifest.start_url, "/");
  assert.deepEqual(
    manifest.icons.map((/** @type {{ purpose: string }} */ { purpose }) => purpose),
    ["any", "any", "maskable", "any", "maskable"],
  );
  for (const { src, type } of manifest.icons) {
    const icon = await fetch(new URL(src, server.base + path));
    assert.equal(icon.headers.get("content-type"), type);
    assert.match(await icon.text(), type === "image/png" ? /^.PNG/ : /^<svg/);
  }
  // The browser's own opinion.
  const { page, context, clean } = await browser.newUser(server);
  await page.goto("/");
  const session = await context.newCDPSession(page);
  const { errors, data } = await session.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  assert.equal(JSON.parse(data ?? "").name, "Fib Fob");
  await clean();
});

test("a code is understood with what people type after it", async () => {
  const { page, clean } = await browser.newUser(server);
  const path = await create(page, { game: "nim", position: "3,4" });
  for (const after of ["", "/", ".", "%", "%20", "%FF", ","]) {
    const { status } = await fetch(server.base + path + after);
    // The digits before a broken escape are not known.
    assert.equal(status, after === "%FF" ? 404 : 200, after);
  }
  assert.equal((await fetch(server.base + path.toLowerCase())).status, 200);
  assert.equal((await fetch(`${server.base}/m/ZZZZZZ`)).status, 404);
  await clean();
});

test("the layout does not shift while the page loads", async () => {
  const { page, clean } = await browser.newUser(server);
  await page.addInitScript(() => {
    Object.assign(window, { shifts: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
      /** @type {any} */ {
        window.shifts += /** @type {any} */ (entry).value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto("/");
  await page.waitForSelector(".game");
  await online(page);
  const shifts = await page.evaluate(() => /** @type {any} */ (window).shifts);
  assert.ok(shifts <= SHIFT_MAX, String(shifts));
  await clean();
});

test("the types are consistent", () => {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const folder = new URL("..", import.meta.url).pathname;
  execFileSync(process.execPath, [tsc, "-p", "jsconfig.json"], { cwd: folder, stdio: "inherit" });
});
