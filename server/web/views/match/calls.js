/** Calls of a player who looks elsewhere: title and icon of the page, a soft sound, a notification if wanted. */
import { afterPaint } from "../../dom/frames.js";
import { settings } from "../../wire/storage.js";

/** Calls the player about an event of the match at a path. @type {(call: Call, text: string, path?: string) => void} */
export function callPlayer(call, text, path = location.pathname) {
  document.documentElement.dataset.lastCall = call;
  const { sound, notify } = settings();
  // Without the network there is no sound the first time; the title and the notification call all the same.
  if (sound) {
    import("./sound.js").then(
      ({ soundCall }) => soundCall(call),
      () => {},
    );
  }
  if (notify && document.hidden && "Notification" in window && Notification.permission === "granted") {
    showCall(text, path);
  }
}

/** @type {(text: string, path: string) => void} */
function showCall(text, path) {
  try {
    const shown = new Notification("Fib Fob", { body: text, tag: path });
    shown.onclick = () => {
      window.focus();
      shown.close();
      if (path !== location.pathname) location.assign(path);
    };
  } catch {
    // Browsers on Android have this constructor, which throws: only a worker may notify there.
    const told = { body: text, tag: path, data: path };
    import("./notification_worker.js")
      .then(({ notificationWorker }) => notificationWorker())
      .then((worker) => worker?.showNotification("Fib Fob", told))
      .catch(() => {});
  }
}

/** The title of the shown view, and who waits for the viewer: this view, or a match that it does not show. */
const shown = { title: "", here: false, elsewhere: false };

/** Names the view, or with an empty title the page as a whole. @type {(title: string, awaited?: boolean) => void} */
export function showTitle(title, awaited = false) {
  Object.assign(shown, { title, here: awaited });
  mark();
}

/** Marks title and icon for a match that the view does not show. @param {boolean} awaited */
export function markElsewhere(awaited) {
  shown.elsewhere = awaited;
  mark();
}

let calling = false;
const changingIcon = afterPaint(changeIcon);

function mark() {
  const awaited = shown.here || shown.elsewhere;
  const wanted = `${awaited ? "● " : ""}${shown.title ? `${shown.title} · ` : ""}Fib Fob`;
  if (document.title !== wanted) document.title = wanted;
  if (calling === awaited) return;
  calling = awaited;
  if (document.hidden) changeIcon();
  else changingIcon.request();
}

function changeIcon() {
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel="icon"]'));
  if (!link) return;
  const href = link.href.replace(/icon(_call)?\.svg/, calling ? "icon_call.svg" : "icon.svg");
  if (link.href !== href) link.href = href;
}
