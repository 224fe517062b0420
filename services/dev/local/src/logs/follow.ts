import { open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 250;
const maxConcurrent = 1024 * 1024;

/**
 * Yields the lines written to a log from now on, one by one. A log that shrinks was rotated and is
 * read from its new beginning. Ends with the signal.
 */
export async function followLines(path: string, signal: AbortSignal): Promise<AsyncGenerator<string, void, undefined>> {
  return linesFrom(path, (await stat(path)).size, signal);
}

async function* linesFrom(path: string, start: number, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  await using file = await open(path, "r");
  let at = start;
  let rest = "";
  while (!signal.aborted) {
    const { size } = await file.stat();
    if (size < at) at = 0;
    const bytes = Buffer.alloc(Math.min(size - at, maxConcurrent));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
    at += bytesRead;
    const lines = (rest + bytes.toString("utf8", 0, bytesRead)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (bytesRead === 0) await sleep(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
