/** Calls of a player who looks elsewhere: title and icon of the page, a soft sound, a notification if wanted. */
import { afterPaint } from "../../dom/frames.js";
import { settings } from "../../wire/storage.js";

/** The notes of the sound, in Hz; the end of a match falls. */
const NOTES = { call: [660, 880], over: [660, 495] };
const NOTE_S = 0.14;
const VOLUME = 0.06;

/** @type {AudioContext | null} */
let audio = null;

/** Calls the player about an event of the match at a path. @type {(call: Call, text: string, path?: string) => void} */
export function callPlayer(call, text, path = location.pathname) {
  document.documentElement.dataset.lastCall = call;
  const { sound, notify } = settings();
  if (sound) {
    called = call;
    // A tab that nobody sees has time, and its timers are late.
    if (document.hidden) soundCall();
    else sounding.request();
  }
  if (notify && document.hidden && "Notification" in window && Notification.permission === "granted") {
    showCall(text, path);
  }
}

/** @type {Call} */
let called = "turn";
const sounding = afterPaint(soundCall);

function soundCall() {
  play(NOTES[called === "over" ? "over" : "call"]);
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

/** @param {number[]} notes */
function play(notes) {
  try {
    audio ??= new AudioContext();
    // Before the first click of a visit a browser plays nothing.
    if (audio.state === "suspended") audio.resume().catch(() => {});
    notes.forEach((frequency, index) => ring(/** @type {AudioContext} */ (audio), frequency, index * NOTE_S));
  } catch {
    // A browser without sound.
  }
}

/** @type {(context: AudioContext, frequency: number, delay: number) => void} */
function ring(context, frequency, delay) {
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  const begin = context.currentTime + delay;
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(0, begin);
  volume.gain.linearRampToValueAtTime(VOLUME, begin + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, begin + 2 * NOTE_S);
  tone.connect(volume).connect(context.destination);
  tone.start(begin);
  tone.stop(begin + 2 * NOTE_S);
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
