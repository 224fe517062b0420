const timeoutMs = 10_000;
const everyMs = 5;

/**
 * Waits until a condition holds.
 * @param what the condition in words, for the error
 * @throws {Error} when it does not hold within 10 s
 */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !condition(); ) {
    if (Date.now() > deadline) throw new Error(`it did not happen within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
