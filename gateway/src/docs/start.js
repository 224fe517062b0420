// Runs in the browser, when the viewer's bundle has been loaded: see page.html.
Scalar.createApiReference("#reference", {
  url: document.querySelector("#reference").dataset.document,
  // The samples are for the door that the reader has come through.
  servers: [{ url: location.origin }],
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: {
    c: true,
    clojure: true,
    csharp: true,
    dart: true,
    fsharp: true,
    java: true,
    kotlin: true,
    objc: true,
    ocaml: true,
    powershell: true,
    r: true,
    swift: true,
  },
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
});
