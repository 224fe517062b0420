// Runs in the browser: the samples of a guide are for the door that the reader has come through, as
// those of the reference are.
for (const element of document.querySelectorAll(".base-url")) element.textContent = location.origin;
