import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Dump, Row } from "./row.ts";

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

/** Opens a plain dump of `pg_dump`. */
export const openPostgres = (file: string): Dump => ({ rows: (table) => copiedRows(file, table) });
