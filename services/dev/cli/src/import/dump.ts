import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { UserError } from "@uag/local/terminal/step";

/** A row by column; null where it has no value. */
export type Row = Readonly<Record<string, string | null>>;

/** A database's dump, read table by table. */
export interface Dump {
  /** The rows of a table; none if the dump does not have it. */
  rows(table: string): AsyncIterable<Row>;
}

const headLength = 16;

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** A field of COPY's text format: https://www.postgresql.org/docs/current/sql-copy.html */
const fieldOf = (text: string): string | null =>
  text === "\\N" ? null : text.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);

const copyHead = /^COPY (?:[\w"]+\.)?"?(\w+)"? \(([^)]*)\) FROM stdin;$/;

const columnsOf = (list: string): string[] => list.split(", ").map((column) => column.replaceAll('"', ""));

/** Rows of a plain dump of `pg_dump`. */
async function* copiedRows(file: string, table: string): AsyncGenerator<Row> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  let columns: string[] | undefined;
  for await (const line of lines) {
    if (columns === undefined) {
      const [, name, list] = line.startsWith("COPY ") ? (copyHead.exec(line) ?? []) : [];
      if (name === table && list !== undefined) columns = columnsOf(list);
    } else if (line === "\\.") return;
    else {
      const fields = line.split("\t");
      yield Object.fromEntries(columns.map((column, i) => [column, fieldOf(fields[i] ?? "\\N")]));
    }
  }
}

async function headOf(file: string): Promise<string> {
  const handle = await open(file).catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headLength), 0, headLength, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Opens a plain dump of PostgreSQL. @throws {UserError} for any other file */
export async function openDump(file: string): Promise<Dump> {
  const head = await headOf(file);
  if (head.startsWith("PGDMP"))
    throw new UserError(
      `${file} has pg_dump's custom format. Convert it: pg_restore --data-only --file dump.sql ${file}`,
    );
  if (!/^(--|\s|SET |COPY )/.test(head)) throw new UserError(`${file} is not a plain dump of pg_dump.`);
  return { rows: (table) => copiedRows(file, table) };
}
