/** The question for a name, asked where another person will see it. Leaving it empty keeps the friendly name. */
import { fill, h } from "../dom/build.js";
import { ask } from "../dom/dialog.js";
import { identity } from "../wire/storage.js";
import { t } from "../words/words.js";
import { guestName } from "./player_names.js";

/** The longest name, as in PROTOCOL.md. */
export const NAME_CHARS_MAX = 24;

/** Shows a new name in all fields of the page. The connection knows none, so that it keeps none that has left it. */
export function showNewName() {
  for (const field of document.querySelectorAll(".ask-name")) field.dispatchEvent(new Event("renamed"));
}

/**
 * Returns a field for the guest's name, which `apply` makes the guest's.
 * @param {import("../main.js").Page} page
 * @param {string} id
 */
export function nameField({ connection }, id) {
  const hint = h("p.quiet");
  const field = h("input.name-field", { id, maxlength: NAME_CHARS_MAX, autocomplete: "nickname" });
  const element = h("div.field.ask-name", h("label", { for: id }, t("top.name")), field, hint);
  const show = () => {
    if (document.activeElement !== field) field.value = identity.name ?? "";
    field.placeholder = guestName(connection.guest, null);
    fill(hint, identity.name ? null : t("name.hint", { name: field.placeholder }));
  };
  element.addEventListener("renamed", show);
  requestAnimationFrame(show);
  show();
  return {
    element,
    field,
    apply() {
      const name = field.value.trim().replace(/\s+/g, " ");
      if (name && name !== identity.name) connection.rename(name);
    },
  };
}

/**
 * Asks a guest without a name for one, and resolves to whether to go on.
 * @type {(page: import("../main.js").Page) => Promise<boolean>}
 */
export async function askName(page) {
  if (identity.name) return true;
  const name = nameField(page, "ask-name");
  const words = { title: t("name.title"), yes: t("name.go_on"), no: t("choice.cancel") };
  const answer = ask({ id: "ask-title", ...words }, name.element);
  name.field.focus();
  const agreed = await answer;
  if (agreed) name.apply();
  return agreed;
}
