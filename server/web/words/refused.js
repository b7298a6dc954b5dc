/**
 * The texts of refusals in the reader's language. A reason without a text falls back to the server's English message,
 * which also fills in the detail of texts with `{detail}`; the details that a player can bring about are translated.
 */
import { maybe, t } from "./words.js";

/** The forms of the server's details, with their texts. @type {[RegExp, Word][]} */
const DETAILS = [
  [/: found "(?<found>.*)", expected .*, for example "(?<example>.*)"$/s, "detail.notation"],
  [/^(?<what>\w+) is (?<value>\d+), and a match starts with (?<least>\d+) to (?<most>\d+)$/, "detail.range"],
  [/^no match can start from a finished position$/, "detail.finished"],
  [/^a name has 1 to (?<most>\d+) visible characters/, "detail.name"],
  [/^only a bot or the server is called `(?<name>.*)`/, "detail.name_taken"],
];

/** Returns the text of a refusal or of another error. @param {{ reason?: string, message: string }} error */
export function refusalText({ reason, message }) {
  const words = reason ? maybe(`refused.${reason}`) : null;
  return words ? words.replace("{detail}", () => detail(message)) : message;
}

/** @param {string} message */
function detail(message) {
  // In English the message itself says most.
  if (t("locale") === "en") return message;
  for (const [form, word] of DETAILS) {
    const values = form.exec(message)?.groups;
    if (form.test(message)) return t(word, { ...values, what: amountName(values?.what) });
  }
  return message;
}

/** @param {string} [what] the server's name of an amount */
function amountName(what = "") {
  return maybe(`detail.${what}`) ?? maybe(`part.${what}`) ?? what;
}
