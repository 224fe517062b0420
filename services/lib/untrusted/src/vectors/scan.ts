const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** A range of a body: from `start` to `end`, exclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A vector's position in the body: a JSON list of numbers with its brackets, or a string with its
 * quotes.
 */
export interface FoundVector extends Range {
  /** The item's index; undefined when it has none. */
  readonly index: number | undefined;
}

/** Where a response has its vectors and what else it has. */
export interface ScannedResponse {
  readonly vectors: readonly FoundVector[];
  /** The list that holds the vectors, brackets included. */
  readonly list: Range;
  /** The other members of the outermost object, by name. */
  readonly members: ReadonlyMap<string, Range>;
}

/** Names of the list of items, and of the vector in an item. */
export interface VectorNames {
  readonly list: string;
  readonly vector: string;
}

/**
 * Finds the vectors in a response without parsing them: a list of numbers contains no other
 * brackets, so its end is found at memory speed, and the bytes can be passed on to a client.
 * @throws {SyntaxError} when the bytes are not such a response; the content of a vector is not
 * checked
 */
export function scanVectors(body: Buffer, names: VectorNames): ScannedResponse {
  return new Scanner(body, names).respond();
}

class Scanner {
  readonly #body: Buffer;
  readonly #names: VectorNames;
  #at = 0;

  constructor(body: Buffer, names: VectorNames) {
    this.#body = body;
    this.#names = names;
  }

  respond(): ScannedResponse {
    const members = new Map<string, Range>();
    let vectors: FoundVector[] | undefined;
    let list: Range = { start: 0, end: 0 };
    this.#eachMember((name) => {
      const start = this.#at;
      if (name === this.#names.list) {
        vectors = this.#items();
        list = { start, end: this.#at };
      } else {
        this.#skipValue();
        members.set(name, { start, end: this.#at });
      }
    });
    if (vectors === undefined) throw new SyntaxError(`"${this.#names.list}" is missing`);
    return { vectors, list, members };
  }

  #items(): FoundVector[] {
    const found: FoundVector[] = [];
    this.#expect(openBracket);
    if (this.#peek() !== closeBracket) {
      do found.push(this.#item());
      while (this.#took(comma));
    }
    this.#expect(closeBracket);
    return found;
  }

  #item(): FoundVector {
    let index: number | undefined;
    let vector: Range | undefined;
    this.#eachMember((name) => {
      const start = this.#at;
      if (name === this.#names.vector) this.#skipVector();
      else this.#skipValue();
      if (name === this.#names.vector) vector = { start, end: this.#at };
      else if (name === "index") index = Number(this.#body.toString("latin1", start, this.#at));
    });
    if (vector === undefined) throw new SyntaxError(`an item has no "${this.#names.vector}"`);
    const { start, end } = vector;
    return { index, start, end };
  }

  #eachMember(take: (name: string) => void): void {
    this.#expect(openBrace);
    if (this.#took(closeBrace)) return;
    do {
      if (this.#peek() !== quote) throw this.#unexpected();
      const start = this.#at;
      this.#skipString();
      const name = this.#body.toString("utf8", start + 1, this.#at - 1);
      this.#expect(colon);
      this.#peek();
      take(name);
    } while (this.#took(comma));
    this.#expect(closeBrace);
  }

  #skipVector(): void {
    const first = this.#body[this.#at];
    if (first !== openBracket && first !== quote) throw this.#unexpected();
    const end = this.#body.indexOf(first === quote ? quote : closeBracket, this.#at + 1);
    if (end < 0) throw new SyntaxError("a vector is unterminated");
    this.#at = end + 1;
  }

  #skipString(): void {
    for (let from = this.#at + 1; ; ) {
      const end = this.#body.indexOf(quote, from);
      if (end < 0) throw new SyntaxError("a string is unterminated");
      let slashes = 0;
      while (this.#body[end - 1 - slashes] === backslash) slashes++;
      from = end + 1;
      if (slashes % 2 === 1) continue;
      this.#at = from;
      return;
    }
  }

  #skipValue(): void {
    const start = this.#at;
    let depth = 0;
    do {
      const byte = this.#peek();
      if (byte === quote) this.#skipString();
      else if (byte === undefined) throw this.#unexpected();
      else {
        if (byte === openBrace || byte === openBracket) depth++;
        else if (byte === closeBrace || byte === closeBracket) depth--;
        if (depth < 0 || (depth === 0 && byte === comma)) break;
        this.#at++;
      }
    } while (depth > 0 || !this.#isValueEnd());
    if (this.#at === start) throw this.#unexpected();
  }

  /** A scalar ends at a separator or white space; lists, objects and strings delimit themselves. */
  #isValueEnd(): boolean {
    const byte = this.#body[this.#at];
    return byte === undefined || byte <= 32 || byte === comma || byte === closeBrace || byte === closeBracket;
  }

  /** Returns the next byte that is not white space, and advances to it. */
  #peek(): number | undefined {
    let byte = this.#body[this.#at];
    while (byte === 32 || byte === 10 || byte === 13 || byte === 9) byte = this.#body[++this.#at];
    return byte;
  }

  #took(byte: number): boolean {
    if (this.#peek() !== byte) return false;
    this.#at++;
    return true;
  }

  #expect(byte: number): void {
    if (!this.#took(byte)) throw this.#unexpected();
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`unexpected byte at ${this.#at}`);
  }
}
