/** A media type with its parameters (RFC 9110, 8.3.1). */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string;
  /** Names in lower case; values as sent, without their quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The limit of a request's whole head. */
const maxTypeLength = 16 * 1_024;
const maxParameters = 16;

const asciiTable = (characters: string): boolean[] => {
  const table = new Array<boolean>(256).fill(false);
  for (const character of characters) table[character.charCodeAt(0)] = true;
  return table;
};
const tokenCharacters = asciiTable("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
const spaces = asciiTable(" \t");

/** Reads a text from left to right, each character once: no input can make it backtrack. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  skipSpaces(): void {
    this.#while(spaces);
  }

  /** Empty if there is none. */
  token(): string {
    return this.#while(tokenCharacters);
  }

  /** The content of a quoted string, or undefined when the quotes do not close. */
  quoted(): string | undefined {
    let value = "";
    for (; !this.done; this.#at++) {
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at++;
        return value;
      }
      if (character === "\\") this.#at++;
      value += this.#text[this.#at] ?? "";
    }
    return undefined;
  }

  #while(table: readonly boolean[]): string {
    const from = this.#at;
    while (table[this.#text.charCodeAt(this.#at)] === true) this.#at++;
    return this.#text.slice(from, this.#at);
  }
}

/**
 * Parses the value of a `content-type` header, in time linear in its length. Undefined for a value
 * that is invalid, longer than 16 KiB, or has more than 16 parameters or a duplicate one: two
 * parsers could interpret it differently.
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > maxTypeLength) return undefined;
  const scanner = new Scanner(text);
  scanner.skipSpaces();
  const type = scanner.token();
  if (type === "" || !scanner.skip("/")) return undefined;
  const subtype = scanner.token();
  if (subtype === "") return undefined;
  const parameters = parseParameters(scanner);
  return parameters && { essence: `${type}/${subtype}`.toLowerCase(), parameters };
}

function parseParameters(scanner: Scanner): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (;;) {
    scanner.skipSpaces();
    if (scanner.done) return parameters;
    if (!scanner.skip(";")) return undefined;
    scanner.skipSpaces();
    const name = scanner.token().toLowerCase();
    // RFC 9110 allows consecutive semicolons.
    if (name === "") continue;
    if (!scanner.skip("=")) return undefined;
    const value = scanner.skip('"') ? scanner.quoted() : scanner.token() || undefined;
    if (value === undefined || parameters.has(name) || parameters.size === maxParameters) return undefined;
    parameters.set(name, value);
  }
}
