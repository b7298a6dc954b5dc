/**
 * The header of every page: the link to the start page, the guest's name, the state of the connection, and the
 * settings.
 */
import { check, choice, fill, form, h, set } from "../dom/build.js";
import { icon } from "../dom/icons.js";
import { announce } from "../dom/announce.js";
import { changeSettings, identity, settings } from "../wire/storage.js";
import { refusalText } from "../words/refused.js";
import { languages, named, t } from "../words/words.js";
import { gone } from "./fault.js";
import { nameField, showNewName } from "./name_field.js";
import { operatorTexts } from "./operator_texts.js";
import { guestName } from "./player_names.js";

const OFFLINE_AFTER_MS = 1_200;

/** @type {AbortController | null} */
let listening = null;

/** Returns the elements of the header. @param {Page} page */
export function header(page) {
  listening?.abort();
  listening = new AbortController();
  const { signal } = listening;
  const { connection } = page;
  const options = menu(page);
  const state = h("span.connection-state", { role: "img" });
  const name = h("button.ghost.name", {
    title: t("top.name"),
    "aria-haspopup": "dialog",
    onclick: () => options.open(),
  });
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

  const closing = h("button.ghost", { onclick: () => tellNotice("") }, t("top.close"));
  const said = h("p.operator-note", { role: "alert" });

  /** @param {string} text */
  function tellNotice(text) {
    connection.notice = text;
    fill(said, ...(text ? [t("top.notice", { text }), " ", closing] : []));
  }

  tellNotice(connection.notice);
  connection.addEventListener("notice", () => tellNotice(connection.notice), { signal });
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
    h("a.to-learn", { href: "/learn", "data-go": true }, t("top.learn")),
    h("p.offline-note", t("match.reconnecting")),
    said,
    h("div.top-side", state, who, options.element),
  ];
}

/** The most that the settings wait for what they can offer, in milliseconds. */
const SETTLE_MS = 300;

/** @param {Page} page */
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
  /** @type {(name: "theme" | "language", values: readonly (readonly [string, string])[]) => any} */
  const choose = (name, values) => {
    const { element, list } = choice(`settings-${name}`, t(`top.${name}`), values, now[name]);
    list.addEventListener("change", () => store({ [name]: list.value }));
    return element;
  };
  const ownName = nameField(page, "settings-name");
  /** @type {(name: "confirm" | "sound" | "notify", onchange: (event: any) => void) => any} */
  const setting = (name, onchange) =>
    check(h("input", { type: "checkbox", name, checked: now[name], onchange }), t(`top.${name}`));
  const calls = callSwitch(page.connection);
  box.addEventListener("close", () => ownName.apply());
  /** @param {string} path */
  const leave = (path) => {
    box.close();
    return page.go(path);
  };
  const texts = operatorTexts(page.connection);
  fill(
    box,
    h("h2", t("top.settings")),
    form("form", () => box.close(), ownName.element),
    choose("theme", named("top.theme_", ["auto", "light", "dark"])),
    choose("language", languages),
    setting("confirm", ({ target }) => store({ confirm: target.checked })),
    setting("sound", ({ target }) => store({ sound: target.checked })),
    setting("notify", async ({ target }) => {
      target.checked = target.checked && (await mayNotify());
      store({ notify: target.checked });
    }),
    ...calls.elements,
    matchMedia("(pointer: coarse)").matches ? null : h("p.quiet", t("choice.keys")),
    fold("other-devices", t("devices.title"), async () =>
      (await import("./devices.js")).devices({ ...page, go: leave }),
    ),
    fold("data", t("forget.fold"), async () => (await import("./devices.js")).ownData(page)),
    texts.element,
    h("button", { onclick: () => box.close() }, t("top.close")),
  );
  const words = { "aria-label": t("top.settings"), "aria-haspopup": "dialog" };
  const open = async () => {
    await settle(calls.show());
    if (!box.open) box.showModal();
    texts.show();
  };
  return { open, element: h("div", h("button.ghost.icon", { ...words, onclick: open }, icon("settings")), box) };
}

/**
 * Waits for rows of the settings: one that came later would move what a finger aims at.
 * @param {Promise<unknown>} rows
 */
async function settle(rows) {
  const late = new Promise((done) => setTimeout(done, SETTLE_MS));
  await Promise.race([rows, late]).catch(() => {});
}

/**
 * A part of the settings that is loaded when it is opened.
 * @type {(kind: string, title: string, load: () => Promise<Element>) => Element}
 */
function fold(kind, title, load) {
  const element = h(`details.${kind}`, { ontoggle: show }, h("summary", title));
  let asked = false;
  async function show() {
    if (asked) return;
    asked = true;
    // Another version of the page may have taken its modules away.
    element.append(await load().catch(() => gone()));
  }
  return element;
}

async function mayNotify() {
  return "Notification" in window && (await Notification.requestPermission()) === "granted";
}

/** The switch for calls while no page is open. @param {Connection} connection */
function callSwitch(connection) {
  const fault = h("p.fault", { role: "alert" });
  const none = h("p.quiet", { hidden: true }, t("top.call_me_none"));
  const input = h("input", { type: "checkbox", name: "call-me", checked: !!settings().called, onchange: change });
  async function change() {
    fill(fault);
    const { keepCalled, endCalls } = await import("./push.js");
    try {
      if (!input.checked) await endCalls(connection);
      else if (await mayNotify()) await keepCalled(connection);
    } catch {
      fill(fault, t("top.call_me_fault"));
    }
    input.checked = !!settings().called;
  }
  async function show() {
    const { canBeCalled } = await import("./push.js");
    const can = canBeCalled(connection);
    none.hidden = can;
    input.disabled = !can;
  }
  return { elements: [check(input, t("top.call_me")), none, fault], show };
}
