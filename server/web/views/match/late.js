/** The parts of the match page that its first picture does without. */
import { analysis } from "./analysis.js";
import { chat } from "./chat.js";
import { hints } from "./hints.js";
import { recorder } from "./recorder.js";
import { textEntry } from "./text_entry.js";

export const parts = { analysis, chat, hints, recorder, textEntry };
