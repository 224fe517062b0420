import { UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import type { Dump, Row } from "./row.ts";

/** A column's text. */
export const text = z.string().nullish();
/** A column's number. */
export const number = z.coerce.number().nullish();
/** A column's truth value: PostgreSQL writes `t`, SQLite 1. */
export const flag = z
  .enum(["t", "f", "1", "0"])
  .nullish()
  .transform((value) => value === "t" || value === "1");
/** A column's JSON object; empty where it has anything else. */
export const object = z
  .string()
  .nullish()
  .transform((value, context): Record<string, unknown> => {
    if (!value) return {};
    try {
      return z.record(z.string(), z.unknown()).catch({}).parse(JSON.parse(value));
    } catch {
      context.addIssue("is not JSON");
      return z.NEVER;
    }
  });

type Schemas = Readonly<Record<string, z.ZodType>>;

/** The tables of a gateway's database, as far as they are imported. */
export interface Tables<T extends Schemas> {
  /** A row of a table. @throws {UserError} for a row that the gateway does not write */
  read<K extends keyof T & string>(table: K, row: Row): z.output<T[K]>;
  /** The rows of a table. @throws {UserError} for a row that the gateway does not write */
  rows<K extends keyof T & string>(dump: Dump, table: K): Promise<z.output<T[K]>[]>;
}

/** @param prefix of the tables' names in the database */
export function tablesOf<T extends Schemas>(schemas: T, prefix = ""): Tables<T> {
  const read: Tables<T>["read"] = (table, row) => {
    const found = (schemas[table] as T[typeof table]).safeParse(row);
    if (!found.success)
      throw new UserError(`A row of ${prefix}${table} cannot be read:\n${z.prettifyError(found.error)}`);
    return found.data as z.output<T[typeof table]>;
  };
  return {
    read,
    async rows(dump, table) {
      const found: z.output<T[typeof table]>[] = [];
      for await (const row of dump.rows(`${prefix}${table}`)) found.push(read(table, row));
      return found;
    },
  };
}
