/** The field for a device code. */
import { form, h } from "../dom/build.js";
import { t } from "../words/words.js";

/** The longest text of the field: a code with a separator after each letter. */
const TEXT_MAX = 24;

/**
 * @param {object} given
 * @param {string} given.id of the field
 * @param {string} given.act the button's text
 * @param {string} [given.code] the code to begin with
 * @param {(code: string) => unknown} given.submit
 */
export function codeForm({ id, act, code = "", submit }) {
  const field = h("input.code-field.device-code-field", {
    id,
    value: code,
    required: true,
    maxlength: TEXT_MAX,
    autocomplete: "one-time-code",
    autocapitalize: "characters",
    spellcheck: "false",
    placeholder: "XXXX-XXXX-XXXX",
  });
  const button = h("button.use-code", { type: "submit" }, act);
  const element = form(
    "form.code-form",
    () => submit(field.value.trim()),
    h("div.field", h("label", { for: id }, t("devices.code")), h("div.row.wrap", field, button)),
  );
  return { element, field, button };
}
