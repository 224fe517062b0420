const quote = 0x22;
const backslash = 0x5c;
/** A call of the native search costs as much as looking at some dozens of bytes. */
const nearBytes = 16;

/**
 * Where the closing quote is of a string whose characters begin at `from`; the length of the bytes
 * when there is none.
 */
export function endOfString(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  // A text of nothing but escaped quotes would make a call for each of them: with each that is
  // found more is looked at here.
  for (let reach = nearBytes; ; reach *= 2) {
    for (const near = Math.min(at + reach, length); at < near; at++) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at++;
    }
    const found = bytes.indexOf(quote, at);
    if (found < 0) return length;
    let slashes = 0;
    while (found - slashes > at && bytes[found - slashes - 1] === backslash) slashes++;
    if (slashes % 2 === 0) return found;
    at = found + 1;
  }
}
