/** Where a text stops being JSON. Lines and columns count from 1, columns in UTF-16 code units. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** What is wrong there, as a clause without a full stop. */
  readonly what: string;
}

type State = "value" | "first item" | "first name" | "name" | "colon" | "next" | "end";

const space = /[ \t\n\r]*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
/** One part of a string: characters that need no escape, or one escape. */
const stringPart = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const closers = { "[": "]", "{": "}" } as const;
type Opener = keyof typeof closers;

/** Reads a text token by token, by the grammar of RFC 8259. */
class Reader {
  readonly #text: string;
  readonly #open: Opener[] = [];
  #at = 0;
  #state: State = "value";

  constructor(text: string) {
    this.#text = text;
  }

  /** The first fault; undefined for JSON. */
  fault(): JsonFault | undefined {
    for (;;) {
      this.#skip(space);
      const what = this.#at < this.#text.length ? this.#token() : this.#ended();
      if (what !== undefined) return this.#place(what);
      if (this.#at >= this.#text.length && this.#state === "end") return undefined;
    }
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  /** Reads one token. @returns what is wrong with it */
  #token(): string | undefined {
    const character = this.#text[this.#at] as string;
    switch (this.#state) {
      case "end":
        return `expected the end of the body, found ${this.#found()}`;
      case "colon":
        if (character !== ":") return `expected ':' after a field name, found ${this.#found()}`;
        return this.#accept("value");
      case "next":
        return this.#afterValue(character);
      case "first name":
        if (character === "}") return this.#close();
        return this.#name(character);
      case "name":
        return character === "}" ? "remove the comma before '}'" : this.#name(character);
      case "first item":
        if (character === "]") return this.#close();
        return this.#value(character);
      case "value":
        if (character === "]" && this.#open.at(-1) === "[") return "remove the comma before ']'";
        return this.#value(character);
    }
  }

  #accept(next: State): undefined {
    this.#at++;
    this.#state = next;
  }

  #close(): undefined {
    this.#open.pop();
    this.#accept(this.#open.length === 0 ? "end" : "next");
  }

  #afterValue(character: string): string | undefined {
    const opener = this.#open.at(-1) as Opener;
    if (character === closers[opener]) return this.#close();
    if (character === ",") return this.#accept(opener === "{" ? "name" : "value");
    return `expected ',' or '${closers[opener]}', found ${this.#found()}`;
  }

  #name(character: string): string | undefined {
    if (character !== '"') return `expected a field name in double quotes, found ${this.#found()}`;
    return this.#string("colon");
  }

  #value(character: string): string | undefined {
    if (character === "{" || character === "[") {
      this.#open.push(character);
      return this.#accept(character === "{" ? "first name" : "first item");
    }
    const next = this.#open.length === 0 ? "end" : "next";
    if (character === '"') return this.#string(next);
    if (!this.#skip(scalar)) return `expected a value, found ${this.#found()}`;
    this.#state = next;
    return undefined;
  }

  #string(next: State): string | undefined {
    const start = this.#at++;
    while (this.#skip(stringPart));
    const character = this.#text[this.#at];
    if (character === '"') return this.#accept(next);
    if (character === undefined) {
      this.#at = start;
      return "the string that begins here has no closing quote";
    }
    if (character === "\n" || character === "\r") return "a line break in a string must be written as \\n";
    if (character === "\t") return "a tab in a string must be written as \\t";
    return character === "\\"
      ? "this is no valid escape in a string"
      : "a control character in a string must be escaped";
  }

  #ended(): string | undefined {
    const opener = this.#open.at(-1);
    if (opener !== undefined) return `the body ends, but '${closers[opener]}' is missing`;
    return this.#state === "end" ? undefined : "the body ends before its value";
  }

  /** The next character, or its code point if it cannot be shown. */
  #found(): string {
    const code = this.#text.codePointAt(this.#at) as number;
    const character = String.fromCodePoint(code);
    if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)) return character === "'" ? `"'"` : `'${character}'`;
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  }

  #place(what: string): JsonFault {
    let line = 1;
    let start = 0;
    for (let at = this.#text.indexOf("\n"); at >= 0 && at < this.#at; at = this.#text.indexOf("\n", at + 1)) {
      line++;
      start = at + 1;
    }
    return { line, column: this.#at - start + 1, what };
  }
}

/** The first fault of a text that is not JSON; undefined for JSON. The caller bounds its length. */
export function jsonFault(text: string): JsonFault | undefined {
  return new Reader(text).fault();
}
