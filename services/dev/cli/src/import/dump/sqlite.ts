import { DatabaseSync } from "node:sqlite";
import type { Dump, Row } from "./row.ts";

/** The first 16 bytes of a database: https://www.sqlite.org/fileformat.html */
export const sqliteHead = "SQLite format 3\0";

const textOf = (value: unknown): string | null => {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
};

async function* storedRows(file: string, table: string): AsyncGenerator<Row> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const known = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
    if (known === undefined) return;
    const statement = database.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}"`);
    statement.setReadBigInts(true);
    for (const row of statement.iterate())
      yield Object.fromEntries(Object.entries(row).map(([column, value]) => [column, textOf(value)]));
  } finally {
    database.close();
  }
}

/** Opens a database of SQLite, which is only read. */
export const openSqlite = (file: string): Dump => ({ rows: (table) => storedRows(file, table) });
