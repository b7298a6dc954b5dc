/** The soft sound of a call. The first call loads it. */
import { afterPaint } from "../../dom/frames.js";

/** The notes of the sound, in Hz; the end of a match falls. */
const NOTES = { call: [660, 880], over: [660, 495] };
const NOTE_S = 0.14;
const VOLUME = 0.06;

/** @type {AudioContext | null} */
let audio = null;

/** @type {Call} */
let called = "turn";
const sounding = afterPaint(play);

/** @param {Call} call */
export function soundCall(call) {
  called = call;
  // A tab that nobody sees has time, and its timers are late.
  if (document.hidden) play();
  else sounding.request();
}

function play() {
  const notes = NOTES[called === "over" ? "over" : "call"];
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
