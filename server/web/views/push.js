/**
 * Calls while no page is open: the browser's push service brings them to the notification worker. The server forgets a
 * browser that does not come back, so that its wish is sent anew each day.
 */
import { changeSettings, identity, settings } from "../wire/storage.js";
import { notificationWorker } from "./match/notification_worker.js";

const DAY_MS = 86_400_000;

/** Returns whether the browser and the server can do it. @param {Connection} connection */
export function canBeCalled({ pushKey }) {
  return !!pushKey && "PushManager" in window && "Notification" in window && !!navigator.serviceWorker;
}

/** Sends the wish to be called, if it is new or a day old. @param {Connection} connection */
export async function keepCalled(connection) {
  if (!canBeCalled(connection) || identity.isSecond) return;
  const worker = await notificationWorker();
  if (!worker) return;
  const called = settings().called;
  // What calls one guest calls no other one, and a browser knows one key.
  const owner = `${connection.guest} ${connection.pushKey}`;
  const old = await worker.pushManager.getSubscription();
  if (called && !called.startsWith(owner)) await old?.unsubscribe();
  const { pushKey: applicationServerKey } = connection;
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = subscription.toJSON();
  const { lang: language } = document.documentElement;
  const wish = [owner, identity.token, endpoint, language, Math.floor(Date.now() / DAY_MS)].join(" ");
  if (wish === called) return;
  await connection.request({ type: "call-me", endpoint, p256dh, auth, language });
  changeSettings({ called: wish });
}

/** Ends the calls of this browser. @param {Connection} connection */
export async function endCalls(connection) {
  changeSettings({ called: null });
  const worker = await notificationWorker();
  const subscription = await worker?.pushManager?.getSubscription();
  if (!subscription) return;
  await subscription.unsubscribe();
  await connection.request({ type: "call-me-not", endpoint: subscription.endpoint });
}
