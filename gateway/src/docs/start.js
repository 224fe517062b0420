// Runs in the browser once the viewer's bundle has loaded: see page.html.

/** The base URL of the document's samples; replaced by the page's own origin. */
const documentBaseUrl = "http://127.0.0.1:8080";

const isDark = matchMedia("(prefers-color-scheme: dark)");

const dark = {
  colors: {
    primary: { main: "#79b4ff" },
    text: { primary: "#dfe3e8", secondary: "#98a2ad" },
    border: { dark: "#2d333a", light: "#2d333a" },
    responses: {
      success: { color: "#6fd39b", backgroundColor: "#16271f", tabTextColor: "#6fd39b" },
      error: { color: "#ff9b93", backgroundColor: "#2b1a1b", tabTextColor: "#ff9b93" },
    },
  },
  schema: { nestedBackground: "#1c2025", typeNameColor: "#98a2ad", typeTitleColor: "#98a2ad" },
  sidebar: { backgroundColor: "#14171b", textColor: "#dfe3e8" },
  typography: { code: { color: "#ffa198", backgroundColor: "#1c2025" }, links: { color: "#79b4ff" } },
  rightPanel: { backgroundColor: "#1c2025" },
};

const light = {
  colors: {
    primary: { main: "#0757ba" },
    responses: {
      success: { color: "#14683a", backgroundColor: "#eef7f1", tabTextColor: "#6fd39b" },
      error: { color: "#a3211b", backgroundColor: "#fcf1f0", tabTextColor: "#ff9b93" },
    },
  },
  sidebar: { backgroundColor: "#fff" },
  typography: { code: { color: "#a3211b", backgroundColor: "#f5f6f8" }, links: { color: "#0757ba" } },
};

const fonts = {
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: { fontFamily: "inherit", fontWeight: "600" },
};

/** The viewer's theme, which it merges with its own. */
const themeOf = ({ typography, ...theme }) => ({ ...theme, typography: { ...fonts, ...typography } });

const element = document.querySelector("#reference");

const show = (description) =>
  Redoc.init(
    description,
    {
      theme: themeOf(isDark.matches ? dark : light),
      scrollYOffset: "body > nav",
      hideDownloadButtons: true,
      hideSchemaTitles: true,
      nativeScrollbars: true,
      requiredPropsFirst: true,
      jsonSamplesExpandLevel: 4,
    },
    element,
  );

fetch(element.dataset.document)
  .then((response) => response.text())
  .then((text) => {
    const description = JSON.parse(text.replaceAll(documentBaseUrl, location.origin));
    description.servers = [{ url: location.origin }];
    show(description);
    isDark.addEventListener("change", () => show(description));
  })
  .catch((error) => {
    element.textContent = `The reference cannot be shown: ${error.message}. Reload the page to try again.`;
  });
