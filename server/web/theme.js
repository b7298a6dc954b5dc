// A classic script, so that the stored theme and language apply before the first paint.
(() => {
  /** @param {string} name */
  const stored = (name) => {
    try {
      return JSON.parse(localStorage.getItem("fibfob.settings") ?? "{}")[name];
    } catch {
      return undefined;
    }
  };
  const theme = stored("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const language = stored("language") ?? (navigator.language.startsWith("de") ? "de" : "en");
  document.documentElement.lang = language;
})();
