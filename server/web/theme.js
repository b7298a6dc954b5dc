// A classic script, so that the stored theme applies before the first paint.
(() => {
  try {
    const { theme } = JSON.parse(localStorage.getItem("fibfob.settings") ?? "{}");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Nothing is stored that can be read.
  }
})();
