/** Detects when a JSON object that arrives in fragments is complete. */
export class JsonEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  complete = false;

  push(fragment: string): void {
    for (const char of fragment) {
      if (this.#inString) this.#insideString(char);
      else if (char === '"') this.#inString = true;
      else if (char === "{" || char === "[") this.#depth++;
      else if (char === "}" || char === "]") {
        this.#depth--;
        if (this.#depth <= 0) this.complete = true;
      }
    }
  }

  #insideString(char: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (char === "\\") this.#escaped = true;
    else if (char === '"') this.#inString = false;
  }
}
