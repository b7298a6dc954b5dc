/**
 * The worker behind notifications: it shows the calls that a push service brings, and a click on one leads to its
 * match. It serves no page and stores nothing.
 */
const worker = /** @type {any} */ (self);

worker.addEventListener("push", (/** @type {any} */ event) => {
  const { text, path } = event.data.json();
  event.waitUntil(worker.registration.showNotification("Fib Fob", { body: text, tag: path, data: path }));
});

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

/** @param {string} path of the match */
async function show(path) {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((/** @type {any} */ page) => new URL(page.url).pathname === path);
  if (page) await page.focus();
  else await worker.clients.openWindow(path);
}
