// Runs in the browser: points a guide's samples at the page's own origin, as in the reference.
for (const element of document.querySelectorAll(".base-url")) element.textContent = location.origin;
