import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import type { ObjectStore } from "../objects/store.ts";

/** How rows become lines of a file, and which of their columns are summed. */
export interface LineFormat<Row extends Readonly<Record<Amount, bigint>>, Amount extends string> {
  /** The row as JSON. */
  readonly encode: (row: Row) => unknown;
  readonly decode: (json: unknown) => Row;
  readonly amounts: readonly Amount[];
}

/** A file of an archive. */
interface ArchiveFile<Row extends Readonly<Record<Amount, bigint>>, Amount extends string> {
  readonly key: string;
  readonly format: LineFormat<Row, Amount>;
}

/** What a database or a file adds up to. */
export interface Sums<Amount extends string> {
  readonly rows: number;
  /** Nano-USD. */
  readonly amounts: Readonly<Record<Amount, bigint>>;
}

/** A digest of a file. Files with equal digests hold the same rows. */
export interface Content<Amount extends string> extends Sums<Amount> {
  /** SHA-256 of the lines, hex. */
  readonly sha256: string;
}

/** A row as it is written, without the line break. */
export const lineOf = <Row>({ encode }: { readonly encode: (row: Row) => unknown }, row: Row): string =>
  JSON.stringify(encode(row));

/** Whether both have as many rows with the same sums. */
export const agree = <Amount extends string>(one: Sums<Amount>, other: Sums<Amount>): boolean =>
  one.rows === other.rows &&
  (Object.keys(one.amounts) as Amount[]).every((name) => one.amounts[name] === other.amounts[name]);

/** Accumulates rows into a {@link Content}. */
export function createTally<Row extends Readonly<Record<Amount, bigint>>, Amount extends string>(
  format: LineFormat<Row, Amount>,
) {
  const hash = createHash("sha256");
  const amounts = Object.fromEntries(format.amounts.map((name) => [name, 0n])) as Record<Amount, bigint>;
  let rows = 0;
  return {
    add(line: string, row: Row): void {
      hash.update(line).update("\n");
      rows++;
      for (const name of format.amounts) amounts[name] += row[name];
    },
    content: (): Content<Amount> => ({ rows, amounts, sha256: hash.digest("hex") }),
  };
}

/** Writes rows as gzipped NDJSON; returns the content's digest and the size in bytes. */
async function writeFile<Row extends Readonly<Record<Amount, bigint>>, Amount extends string>(
  objects: ObjectStore,
  { key, format }: ArchiveFile<Row, Amount>,
  rows: AsyncIterable<Row>,
): Promise<Content<Amount> & { readonly bytes: number }> {
  const tally = createTally(format);
  async function* lines(): AsyncGenerator<string> {
    for await (const row of rows) {
      const line = lineOf(format, row);
      tally.add(line, row);
      yield `${line}\n`;
    }
  }
  const source = Readable.from(lines());
  const zipped = source.pipe(createGzip());
  source.on("error", (error) => zipped.destroy(error));
  const bytes = await objects.put(key, "application/gzip", zipped as AsyncIterable<Buffer>);
  return { ...tally.content(), bytes };
}

/** Reads the rows of a file back. @throws when the file is missing or incomplete */
export async function* readFile<Row>(
  objects: ObjectStore,
  { key, format }: { readonly key: string; readonly format: { readonly decode: (json: unknown) => Row } },
): AsyncGenerator<{ line: string; row: Row }> {
  const file = await objects.find(key);
  if (file === undefined) throw new Error(`the archive file ${key} does not exist`);
  const source = await file.read({ start: 0, end: file.size - 1 });
  const unzipped = source.pipe(createGunzip());
  source.on("error", (error) => unzipped.destroy(error));
  const read = (line: string) => ({ line, row: format.decode(JSON.parse(line)) });
  let rest = "";
  // One piece at a time: `node:readline` emits a thousand lines at once, which blocks everything else.
  for await (const text of unzipped.setEncoding("utf8")) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield read(line);
  }
  if (rest !== "") yield read(rest);
}

/** The content that a file of these rows would have. */
export async function contentOfRows<Row extends Readonly<Record<Amount, bigint>>, Amount extends string>(
  format: LineFormat<Row, Amount>,
  rows: AsyncIterable<Row>,
): Promise<Content<Amount>> {
  const tally = createTally(format);
  for await (const row of rows) tally.add(lineOf(format, row), row);
  return tally.content();
}

/** The content of a file, read back. */
export async function contentOf<Row extends Readonly<Record<Amount, bigint>>, Amount extends string>(
  objects: ObjectStore,
  file: ArchiveFile<Row, Amount>,
): Promise<Content<Amount>> {
  const tally = createTally(file.format);
  for await (const { line, row } of readFile(objects, file)) tally.add(line, row);
  return tally.content();
}

/**
 * Writes rows to a file, reads it back, and compares it with the written rows and with the
 * database's sums.
 * @throws when the file differs from either
 */
export async function writeChecked<Row extends Readonly<Record<Amount, bigint>>, Amount extends string>(
  objects: ObjectStore,
  file: ArchiveFile<Row, Amount>,
  { rows, sumsOf }: { rows: AsyncIterable<Row>; sumsOf: () => Promise<Sums<Amount>> },
): Promise<Content<Amount> & { readonly bytes: number }> {
  const written = await writeFile(objects, file, rows);
  // Rows that another process has dropped meanwhile would match an empty file.
  if (written.rows === 0) throw new Error(`${file.key} would be empty: no rows to archive`);
  const found = await contentOf(objects, file);
  if (found.sha256 !== written.sha256 || !agree(found, written))
    throw new Error(`${file.key} differs from the written rows`);
  if (!agree(found, await sumsOf())) throw new Error(`${file.key} differs from the database`);
  return written;
}
