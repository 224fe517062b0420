/** A row by column; null where it has no value. */
export type Row = Readonly<Record<string, string | null>>;

/** A database's dump, read table by table. */
export interface Dump {
  /** The rows of a table; none if the dump does not have it. */
  rows(table: string): AsyncIterable<Row>;
}
