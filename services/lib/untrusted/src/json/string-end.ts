const quote = 0x22;
const backslash = 0x5c;
/** A call of the native search costs as much as checking a few dozen bytes. */
const nearBytes = 16;

/**
 * The closing quote's position in a string whose characters begin at `from`; the length of the
 * bytes when there is none.
 */
export function endOfString(bytes: Buffer, from: number): number {
  return endWithin(bytes, from, Number.POSITIVE_INFINITY);
}

/**
 * Like {@link endOfString}, but stops after inspecting `maxBytes`: then returns the negative of the
 * position, not within an escape, from which the search can be continued. Text without quotes is skipped by
 * the native search, and does not count.
 */
export function endWithin(bytes: Buffer, from: number, maxBytes: number): number {
  const { length } = bytes;
  let at = from;
  // A text of escaped quotes only would take one native call for each: every hit therefore doubles
  // the bytes checked here.
  for (let reach = nearBytes; reach <= maxBytes / 2; reach *= 2) {
    for (const near = Math.min(at + reach, length); at < near; at++) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at++;
    }
    const found = bytes.indexOf(quote, at);
    if (found < 0) return length;
    const first = Math.max(at, found - reach);
    let slashes = 0;
    while (found - slashes > first && bytes[found - slashes - 1] === backslash) slashes++;
    // A longer run of backslashes is inspected from its beginning.
    if (found - slashes === first && first > at) continue;
    if (slashes % 2 === 0) return found;
    at = found + 1;
  }
  return -at;
}
