/** The worker behind notifications, which phones and push services need. */

/** Returns the worker behind notifications; null in a browser without one. */
export async function notificationWorker() {
  const script = document.querySelector('meta[name="notification-worker"]')?.getAttribute("content");
  if (!script || !navigator.serviceWorker) return null;
  const registration = await navigator.serviceWorker.register(script);
  await activated(registration);
  // Each version of the page has a worker of its own.
  for (const other of await navigator.serviceWorker.getRegistrations()) {
    const isOurs = new URL(other.scope).pathname.startsWith("/page/");
    if (isOurs && other.scope !== registration.scope) await other.unregister();
  }
  return registration;
}

/** @param {ServiceWorkerRegistration} registration */
async function activated(registration) {
  const worker = registration.installing ?? registration.waiting;
  if (registration.active || !worker) return;
  await new Promise((resolve) =>
    worker.addEventListener("statechange", () => worker.state === "activated" && resolve(null)),
  );
}
