// Runs in the browser once the viewer's bundle has loaded: see page.html.

/** The base URL of the document's samples; replaced by the page's own origin. */
const documentBaseUrl = "http://127.0.0.1:8080";

/** Samples that the viewer would generate. The document has its own, which are tested. */
const generatedSamples = [
  "c",
  "clojure",
  "csharp",
  "dart",
  "fsharp",
  "go",
  "http",
  "java",
  "js",
  "kotlin",
  "node",
  "objc",
  "ocaml",
  "php",
  "powershell",
  "python",
  "r",
  "ruby",
  "rust",
  "shell",
  "swift",
];

const element = document.querySelector("#reference");

fetch(element.dataset.document)
  .then((response) => response.text())
  .then((text) =>
    Scalar.createApiReference(element, {
      content: text.replaceAll(documentBaseUrl, location.origin),
      servers: [{ url: location.origin }],
      hiddenClients: Object.fromEntries(generatedSamples.map((name) => [name, true])),
      hideModels: true,
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: "never",
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    }),
  )
  .catch((error) => {
    element.textContent = `The reference cannot be shown: ${error.message}. Reload the page to try again.`;
  });
