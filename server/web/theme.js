// Not a module, so that the chosen theme and language stand before anything is painted.
(() => {
  /** @param {string} name */
  const kept = (name) => {
    try {
      return JSON.parse(localStorage.getItem("fibfob.settings") ?? "{}")[name];
    } catch {
      return undefined;
    }
  };
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const language = kept("language") ?? (navigator.language.startsWith("de") ? "de" : "en");
  document.documentElement.lang = language;
})();
