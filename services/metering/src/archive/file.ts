import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import type { ObjectStore } from "@uag/kit/objects/store.ts";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";

/** A digest of a file of events. Files with equal digests hold the same rows. */
export interface Content {
  readonly rows: number;
  /** Sums over the rows, nano-USD. */
  readonly costNanoUsd: bigint;
  readonly holdNanoUsd: bigint;
  /** SHA-256 of the lines, hex. */
  readonly sha256: string;
}

const lineOf = (event: UsageEvent): string => JSON.stringify(UsageEvent.toJSON(event));

/** Accumulates lines into a {@link Content}. */
function createTally() {
  const hash = createHash("sha256");
  let rows = 0;
  let [cost, hold] = [0n, 0n];
  return {
    add(line: string, { costNanoUsd, holdNanoUsd }: Pick<UsageEvent, "costNanoUsd" | "holdNanoUsd">): void {
      hash.update(line).update("\n");
      rows++;
      cost += costNanoUsd;
      hold += holdNanoUsd;
    },
    content: (): Content => ({ rows, costNanoUsd: cost, holdNanoUsd: hold, sha256: hash.digest("hex") }),
  };
}

/**
 * Writes events as gzipped NDJSON, one `UsageEvent` in proto3 JSON per line; returns the content's
 * digest and the size in bytes.
 */
export async function writeFile(
  objects: ObjectStore,
  key: string,
  events: AsyncIterable<UsageEvent>,
): Promise<Content & { readonly bytes: number }> {
  const tally = createTally();
  async function* lines(): AsyncGenerator<string> {
    for await (const event of events) {
      const line = lineOf(event);
      tally.add(line, event);
      yield `${line}\n`;
    }
  }
  const source = Readable.from(lines());
  const zipped = source.pipe(createGzip());
  source.on("error", (error) => zipped.destroy(error));
  const bytes = await objects.put(key, "application/gzip", zipped as AsyncIterable<Buffer>);
  return { ...tally.content(), bytes };
}

/** Reads the events of a file back. @throws when the file is missing or incomplete */
export async function* readFile(
  objects: ObjectStore,
  key: string,
): AsyncGenerator<{ line: string; event: UsageEvent }> {
  const file = await objects.find(key);
  if (file === undefined) throw new Error(`${key} is not there`);
  const source = await file.read({ start: 0, end: file.size - 1 });
  const unzipped = source.pipe(createGunzip());
  source.on("error", (error) => unzipped.destroy(error));
  const lines = createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY });
  let failure: Error | undefined;
  unzipped.on("error", (error) => {
    failure = error;
    lines.close();
  });
  for await (const line of lines) yield { line, event: UsageEvent.fromJSON(JSON.parse(line)) };
  if (failure !== undefined) throw failure;
}

/** The content that a file of these events would have. */
export async function contentOfEvents(events: AsyncIterable<UsageEvent>): Promise<Content> {
  const tally = createTally();
  for await (const event of events) tally.add(lineOf(event), event);
  return tally.content();
}

/** The content of a file, read back. */
export async function contentOf(objects: ObjectStore, key: string): Promise<Content> {
  const tally = createTally();
  for await (const { line, event } of readFile(objects, key)) tally.add(line, event);
  return tally.content();
}
