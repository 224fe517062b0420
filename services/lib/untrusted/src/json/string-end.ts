const quote = 0x22;
const backslash = 0x5c;
/** A call of the native search costs as much as checking a few dozen bytes. */
const nearBytes = 16;

/**
 * The closing quote's position in a string whose characters begin at `from`; the length of the
 * bytes when there is none.
 */
export function endOfString(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  // A text of escaped quotes only would take one native call for each: every hit therefore doubles
  // the bytes checked here.
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
