import { collectionNames } from "./store.ts";

interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

/**
 * Reading, inserting, and what billing does on startup: creating missing collections and indexes.
 */
const adding = ["find", "insert", "createCollection", "createIndex", "listIndexes", "collStats"];
const changing = [...adding, "update", "remove"];

/**
 * The database role under which billing can do all its work but not alter history: no update
 * and no remove on append-only collections.
 * https://www.mongodb.com/docs/manual/reference/privilege-actions/
 */
export function appendOnlyRole(database: string): { name: string; privileges: Privilege[] } {
  const names = collectionNames();
  const on = (collection: string, actions: readonly string[]): Privilege => ({
    resource: { db: database, collection },
    actions,
  });
  return {
    name: "billing_append_only",
    privileges: [
      on("", ["listCollections"]),
      ...names.appendOnly.map((name) => on(name, adding)),
      ...names.changing.map((name) => on(name, changing)),
    ],
  };
}
