// Before anything is painted: a page that is dark does not flash white. It is a file of its own
// because the content security policy allows no inline script.
(() => {
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value") ?? "auto";
  } catch {
    // Storage that is blocked: the system's scheme it is.
  }
  const dark = chosen === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
