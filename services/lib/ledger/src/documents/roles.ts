import { collectionNames } from "./store.ts";

interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

/**
 * Reading, inserting, and what a service does on startup: creating missing collections and indexes.
 */
const adding = ["find", "insert", "createCollection", "createIndex", "listIndexes", "collStats"];
const changing = [...adding, "update", "remove"];
const listing = (db: string): Privilege => ({ resource: { db, collection: "" }, actions: ["listCollections"] });

/** A database role under which a service can do all its work in its own collections, and none elsewhere. */
export function collectionsRole(
  db: string,
  name: string,
  collections: readonly string[],
): { name: string; privileges: Privilege[] } {
  const privileges = collections.map((collection) => ({ resource: { db, collection }, actions: changing }));
  return { name, privileges: [listing(db), ...privileges] };
}

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
      listing(database),
      ...names.appendOnly.map((name) => on(name, adding)),
      ...names.changing.map((name) => on(name, changing)),
    ],
  };
}
