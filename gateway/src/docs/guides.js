// Runs in the browser after the highlighter: points a guide's samples at the page's own origin, as in the reference,
// highlights them and adds their copy buttons.
for (const element of document.querySelectorAll(".base-url")) element.textContent = location.origin;

for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  const code = block.querySelector("code") ?? block;
  // Without the marks around the origin, which the highlighter would report as foreign markup.
  code.textContent = code.textContent.trimEnd();
  if (code.className !== "") hljs.highlightElement(code);
  button.addEventListener("click", async () => {
    const isCopied = await navigator.clipboard.writeText(code.textContent).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? "Copied" : "Select and copy the text";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2_000);
  });
  const frame = document.createElement("div");
  frame.className = "sample";
  block.replaceWith(frame);
  frame.append(block, button);
}
