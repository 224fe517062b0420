// A visitor who was signed in needs the scripts of the pages behind the sign-in, which would
// otherwise be requested only once the first script runs. The build states their names.
(() => {
  const { signedInKey, files } = document.currentScript.dataset;
  try {
    if (localStorage.getItem(signedInKey) === null) return;
  } catch {
    // Without storage nothing says that the visitor was signed in.
    return;
  }
  for (const href of files.split(" ")) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
  }
})();
