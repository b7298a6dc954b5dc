/**
 * The layout of the match page. A wide window shows everything at once; in a small one, or with large letters, the
 * match fills the window: boards, instruments and the bar are always in sight, and moves, chat and analysis open one
 * at a time from a row of buttons. Sizes are measured in letters, so that zoom and a larger font count alike.
 *
 * @typedef {"moves" | "chat" | "analysis"} Sheet
 */
import { fill, h } from "../../dom/build.js";
import { t } from "../../words/words.js";

/** The smallest width and height of the wide layout, in rem. */
const WIDE_REM = [75, 40];
/** @type {Sheet[]} */
const SHEETS = ["moves", "chat", "analysis"];

/** The layout of the match page that is shown; the style has it from the root element. */
let layout = "";

/** Returns whether the match page is shown in a small window. */
export function compact() {
  return layout !== "wide";
}

/** Keeps the layout up to date until `signal`. @type {(signal: AbortSignal, changed: () => void) => void} */
export function followLayout(signal, changed) {
  const root = document.documentElement;
  const show = () => {
    const letter = parseFloat(getComputedStyle(root).fontSize);
    const isWide = innerWidth >= WIDE_REM[0] * letter && innerHeight >= WIDE_REM[1] * letter;
    const fitting = isWide ? "wide" : innerHeight > innerWidth ? "column" : "row";
    if (layout === fitting) return;
    root.dataset.layout = layout = fitting;
    changed();
  };
  show();
  addEventListener("resize", show, { signal });
  // The root element's width is not its font's: a change of the font alone is seen by an element of one letter.
  const letter = h("i.letter", { "aria-hidden": "true" });
  document.body.append(letter);
  const observer = new ResizeObserver(show);
  observer.observe(letter);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    letter.remove();
    delete root.dataset.layout;
    layout = "";
  });
}

/** The buttons that open and close the sheets of a small window. @param {() => void} changed */
export function sheets(changed) {
  /** @type {Sheet | null} */
  let open = null;
  const badge = h("b.badge");
  /** @param {Sheet} name */
  const button = (name) => {
    const given = { "aria-expanded": "false", "aria-controls": "sheet", onclick: () => toggle(name) };
    return h(`button.tab.of-${name}`, given, t(`${name}.title`), name === "chat" && badge);
  };
  const buttons = SHEETS.map(button);
  const element = h("div.tabs", { role: "group", "aria-label": t("sheet.all") }, ...buttons);

  /** @param {Sheet} name */
  function toggle(name) {
    open = open === name ? null : name;
    show();
    changed();
  }

  function show() {
    SHEETS.forEach((name, index) => buttons[index].setAttribute("aria-expanded", String(open === name)));
    const host = element.closest(".match");
    if (!host) return;
    if (open) host.setAttribute("data-sheet", open);
    else host.removeAttribute("data-sheet");
  }

  return {
    element,
    /** Opens a sheet, where there are sheets. @param {Sheet} name */
    open(name) {
      if (compact() && open !== name) toggle(name);
    },
    /** Closes the open sheet, unless the viewer types in it. */
    close() {
      if (open && !element.closest(".match")?.querySelector(".sheet :is(input, select):focus")) toggle(open);
    },
    /** @param {Sheet} name */
    isOpen: (name) => !compact() || open === name,
    /** @param {{ unread: number, chat: boolean, analysis: boolean }} state */
    update({ unread, chat, analysis }) {
      fill(badge, h("span", { "aria-hidden": "true" }, unread), h("span.unseen", t("chat.new", { count: unread })));
      badge.hidden = unread === 0;
      for (const [name, offered] of /** @type {[Sheet, boolean][]} */ (Object.entries({ chat, analysis }))) {
        buttons[SHEETS.indexOf(name)].hidden = !offered;
        if (!offered && open === name) toggle(name);
      }
    },
  };
}
