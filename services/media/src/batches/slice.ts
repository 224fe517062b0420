import type { BatchDocument, Ending, Part, PartKind, Position } from "./batch.ts";
import { isBlank, type Line } from "./lines.ts";
import type { PartStore } from "./part-store.ts";
import type { PartWriter } from "./part-writer.ts";
import { type BatchRequest, readLine } from "./read-line.ts";
import { type NumberedLine, type ResultLine, responseLine, unsentLine } from "./result-line.ts";
import { type LineContext, sendLine } from "./send-line.ts";

/** A slice ends after this many lines, or bytes, so that a crash repeats little. */
const maxLines = 100;
const maxBytes = 4 * 1024 * 1024;

/** A request of a slice. */
export interface SlicedLine extends NumberedLine {
  readonly request: BatchRequest;
}

/** The lines of one slice, and where the next begins. */
export interface Slice {
  readonly lines: readonly SlicedLine[];
  /** Undefined: the file has no more lines. */
  readonly next: Position | undefined;
}

/**
 * Reads the next slice of a validated file.
 * @param hold accounts for a line's bytes while the slice runs
 */
export async function readSlice(
  lines: AsyncIterable<Line>,
  hold: (bytes: number) => Promise<void> | undefined,
): Promise<Slice> {
  const found: SlicedLine[] = [];
  let bytes = 0;
  let next: Position | undefined;
  for await (const line of lines) {
    if (next !== undefined) return { lines: found, next };
    const content = line.bytes;
    if (content === undefined) throw new Error(`line ${line.number} of a validated file is too long`);
    if (isBlank(content)) continue;
    await hold(content.length);
    const request = await readLine(content);
    found.push({ number: line.number, customId: request.customId, request });
    bytes += content.length;
    // Whether another line follows decides whether the slice is the last.
    if (found.length === maxLines || bytes >= maxBytes) next = { offset: line.end, line: line.number + 1 };
  }
  return { lines: found, next: undefined };
}

/** How a slice is run. */
export interface SliceOptions {
  readonly batch: BatchDocument;
  readonly context: LineContext;
  readonly parts: PartStore;
  /** Aborts when this worker must leave the batch. */
  readonly signal: AbortSignal;
  /** Aborts with an {@link Ending} when no further line is to be sent. */
  readonly stop: AbortSignal;
  /** The same, some time later: what a repeated slice waits for by then is given up. */
  readonly giveUp: AbortSignal;
  /** Lines in flight at a time. */
  readonly concurrency: number;
}

/** What a slice has done. */
export interface SliceResult {
  readonly parts: readonly Part[];
  readonly completed: number;
  readonly failed: number;
  /** Those of the failed that were not run. */
  readonly skipped: number;
  readonly ending: Ending | undefined;
}

/**
 * Runs the lines of a slice, a few at a time, and writes the results. A slice that a worker began
 * and did not commit is sent whole again, whatever has ended the batch since: lines that were
 * billed then have their responses replayed, so that no result that was paid for is lost.
 * @throws the signal's reason, or a failure of the store; nothing of it counts then
 */
export async function runSlice({ lines }: Slice, options: SliceOptions): Promise<SliceResult> {
  const { batch, context, signal } = options;
  const repeated = batch.begun;
  const stop = repeated ? options.giveUp : options.stop;
  const results = new Results(batch, options.parts);
  let ending: Ending | undefined;
  const run = async (line: SlicedLine): Promise<void> => {
    const ended = stop.aborted ? (stop.reason as Ending) : repeated ? undefined : ending;
    if (ended !== undefined) return await results.add(unsentLine(batch, line, ended));
    const outcome = await sendLine(context, { batch, ...line, signal, stop });
    if (outcome.kind === "response") return await results.add(responseLine(batch, line, outcome.response));
    if (outcome.kind === "ended") ending ??= outcome.ending;
    await results.add(unsentLine(batch, line, outcome.kind === "ended" ? outcome.ending : (stop.reason as Ending)));
  };
  try {
    await inParallel(lines, options.concurrency, run);
    const written = await results.end();
    return { ...written, ending: ending ?? (stop.aborted ? (stop.reason as Ending) : undefined) };
  } catch (error) {
    await results.abandon();
    throw error;
  }
}

/** Writes the rest of a batch's lines, which are not run. */
export async function skipRest(
  lines: AsyncIterable<Line>,
  { batch, parts, signal }: Pick<SliceOptions, "batch" | "parts" | "signal">,
  ending: Ending,
): Promise<Omit<SliceResult, "ending">> {
  const results = new Results(batch, parts);
  try {
    for await (const { bytes, number } of lines) {
      signal.throwIfAborted();
      if (bytes === undefined || isBlank(bytes)) continue;
      const { customId } = await readLine(bytes);
      await results.add(unsentLine(batch, { customId, number }, ending));
    }
    return await results.end();
  } catch (error) {
    await results.abandon();
    throw error;
  }
}

/** The results of some lines, in up to two new parts. */
class Results {
  readonly #batch: BatchDocument;
  readonly #parts: PartStore;
  readonly #writers = new Map<PartKind, Promise<PartWriter>>();
  readonly #counts = { completed: 0, failed: 0, skipped: 0 };

  constructor(batch: BatchDocument, parts: PartStore) {
    this.#batch = batch;
    this.#parts = parts;
  }

  async add({ kind, outcome, bytes }: ResultLine): Promise<void> {
    const writer = this.#writers.get(kind) ?? this.#parts.begin(this.#batch._id, kind);
    this.#writers.set(kind, writer);
    this.#counts[outcome]++;
    await (await writer).write(bytes);
  }

  async end(): Promise<Omit<SliceResult, "ending">> {
    const writers = await Promise.all(this.#writers.values());
    const parts = await Promise.all(writers.map((writer) => writer.end()));
    const { completed, failed, skipped } = this.#counts;
    return { parts, completed, failed: failed + skipped, skipped };
  }

  async abandon(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#writers.values()))
      if (opened.status === "fulfilled") await opened.value.abandon();
  }
}

/** Handles items in their order, a few at a time; after a failure it begins no more. */
async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  handle: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      if (failed) return;
      await handle(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const done = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const worker of done) if (worker.status === "rejected") throw worker.reason;
}
