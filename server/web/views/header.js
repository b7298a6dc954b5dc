/**
 * The header of every page: the link to the start page, the guest's name, the state of the connection, and the
 * settings.
 */
import { check, fill, form, h, set } from "../dom/build.js";
import { icon } from "../dom/icons.js";
import { segments } from "../dom/segments.js";
import { announce } from "../dom/announce.js";
import { changeSettings, identity, settings } from "../wire/storage.js";
import { refusalText } from "../words/refused.js";
import { languages, t } from "../words/words.js";
import { NAME_CHARS_MAX, nameField, showNewName } from "./name_field.js";
import { guestName } from "./player_names.js";

/** The interruption after which the page shows that it is offline. */
const OFFLINE_AFTER_MS = 1_200;

const THEMES = /** @type {const} */ (["auto", "light", "dark"]);

/** @type {AbortController | null} */
let listening = null;

/** Returns the elements of the header. @param {import("../main.js").Page} page */
export function header(page) {
  listening?.abort();
  listening = new AbortController();
  const { signal } = listening;
  const { connection } = page;
  const state = h("span.connection-state", { role: "img" });
  const name = h("button.ghost.name", { title: t("top.name"), onclick: () => edit() });
  const who = h("div.who", name);
  const refused = h("span.quiet", { role: "alert" });
  let timer = 0;
  let announced = false;

  /** @param {Event} event */
  function tellRefusal(event) {
    fill(refused, refusalText(/** @type {CustomEvent} */ (event).detail));
    who.append(refused);
    show();
  }

  function show() {
    state.classList.toggle("online", connection.open);
    const words = t(connection.open ? "top.online" : "top.offline");
    set(state, { "aria-label": words, title: words });
    fill(name, guestName(connection.guest, identity.name ?? connection.name));
    showNewName();
    name.setAttribute("aria-label", `${t("top.name")}: ${name.textContent}`);
    clearTimeout(timer);
    if (connection.open) {
      document.documentElement.classList.remove("offline");
      if (announced) announce(t("announce.online"));
      announced = false;
    } else {
      timer = setTimeout(() => {
        // That is told in a message of its own.
        if (connection.signedOut) return;
        document.documentElement.classList.add("offline");
        announced = true;
        announce(t("announce.offline"));
      }, OFFLINE_AFTER_MS);
    }
  }

  function edit() {
    const field = h("input.name-field", {
      maxlength: NAME_CHARS_MAX,
      "aria-label": t("top.name"),
      autocomplete: "nickname",
      value: identity.name ?? "",
      placeholder: guestName(connection.guest, null),
    });
    const done = () => {
      const wanted = field.value.trim().replace(/\s+/g, " ");
      if (wanted && wanted !== connection.name) connection.rename(wanted);
      close();
      show();
    };
    const close = () => {
      fill(who, name);
      name.focus();
    };
    fill(who, form("form.row", done, field, h("button.small", { type: "submit" }, t("top.rename"))));
    field.addEventListener("keydown", (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && close());
    field.select();
  }

  connection.addEventListener("state", show, { signal });
  connection.addEventListener("name-refused", tellRefusal, { signal });
  show();
  return [
    h(
      "a.brand",
      { href: "/", "data-go": true, "aria-label": t("top.home") },
      h("img.mark", { src: document.querySelector(/** @type {"link"} */ ("link[rel=icon]"))?.href, alt: "" }),
      h("b", "Fib ", h("em", "Fob")),
    ),
    h("p.offline-note", t("match.reconnecting")),
    h("div.top-side", state, who, menu(page)),
  ];
}

/** @param {import("../main.js").Page} page */
function menu(page) {
  const now = { ...settings(), language: document.documentElement.lang };
  const box = h("dialog.settings", { "aria-label": t("top.settings") });
  /** @param {Partial<import("../wire/storage.js").Settings>} next */
  const store = (next) => {
    changeSettings(next);
    if (next.theme) document.documentElement.dataset.theme = next.theme;
    if (next.language) {
      box.close();
      page.rebuild();
    }
  };
  /** @type {(label: string, name: "theme" | "language", values: readonly (readonly [string, string])[]) => any} */
  const choose = (label, name, values) => {
    const { element, value } = segments(name, label, values, now[name]);
    element.addEventListener("change", () => store({ [name]: value() }));
    return element;
  };
  const themes = THEMES.map((theme) => /** @type {const} */ ([theme, t(`top.theme_${theme}`)]));
  const ownName = nameField(page, "settings-name");
  /** @type {(name: "confirm" | "sound" | "notify", onchange: (event: any) => void) => any} */
  const setting = (name, onchange) =>
    check(h("input", { type: "checkbox", name, checked: now[name], onchange }), t(`top.${name}`));
  /** @param {any} event */
  const notify = async ({ target }) => {
    const allowed =
      target.checked && "Notification" in window && (await Notification.requestPermission()) === "granted";
    target.checked = allowed;
    store({ notify: allowed });
  };
  box.addEventListener("close", () => ownName.apply());
  fill(
    box,
    h("h2", t("top.settings")),
    form("form", () => box.close(), ownName.element),
    choose(t("top.theme"), "theme", themes),
    choose(t("top.language"), "language", languages),
    setting("confirm", ({ target }) => store({ confirm: target.checked })),
    setting("sound", ({ target }) => store({ sound: target.checked })),
    setting("notify", notify),
    matchMedia("(pointer: coarse)").matches ? null : h("p.quiet", t("choice.keys")),
    h("button", { onclick: () => box.close() }, t("top.close")),
  );
  const words = { "aria-label": t("top.settings"), "aria-haspopup": "dialog" };
  return h("div", h("button.ghost.icon", { ...words, onclick: () => box.showModal() }, icon("settings")), box);
}
