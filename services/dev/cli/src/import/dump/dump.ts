import { open } from "node:fs/promises";
import { UserError } from "@uag/local/terminal/step";
import { openPostgres } from "./postgres.ts";
import type { Dump } from "./row.ts";
import { openSqlite, sqliteHead } from "./sqlite.ts";

const headLength = 16;

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

/** Opens a plain dump of PostgreSQL, or a database of SQLite. @throws {UserError} for any other file */
export async function openDump(file: string): Promise<Dump> {
  const head = await headOf(file);
  if (head === sqliteHead) return openSqlite(file);
  if (head.startsWith("PGDMP"))
    throw new UserError(
      `${file} has pg_dump's custom format. Convert it: pg_restore --data-only --file dump.sql ${file}`,
    );
  if (!/^(--|\s|SET |COPY )/.test(head))
    throw new UserError(`${file} is neither a plain dump of pg_dump nor a database of SQLite.`);
  return openPostgres(file);
}
