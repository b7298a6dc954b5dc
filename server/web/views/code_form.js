/** The field for a device code. */
import { NOTATION, form, h, submit } from "../dom/build.js";
import { t } from "../words/words.js";

/** The longest text of the field: a code with a separator after each letter. */
const TEXT_MAX = 24;

/**
 * @param {string} id of the field
 * @param {string} words the button's text
 * @param {(code: string) => unknown} act
 * @param {string} [value] the code to begin with
 */
export function codeForm(id, words, act, value = "") {
  const code = { ...NOTATION, autocomplete: "one-time-code", autocapitalize: "characters", maxlength: TEXT_MAX };
  const given = { id, value, required: true, placeholder: "XXXX-XXXX-XXXX" };
  const field = h("input.code-field.device-code-field", { ...code, ...given });
  const button = submit(words);
  const row = h("div.field", h("label", { for: id }, t("devices.code")), h("div.row.wrap", field, button));
  const element = form("form.code-form", () => act(field.value.trim()), row);
  return { element, field, button };
}
