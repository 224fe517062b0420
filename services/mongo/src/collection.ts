import type { Connection, mongo } from "mongoose";

/**
 * A collection as the driver gives it, typed by its documents: for hot paths, where a document that
 * a model makes costs ten times as much.
 * @throws {Error} when the connection is not open
 */
export function collectionOf<D extends mongo.Document>(connection: Connection, name: string): mongo.Collection<D> {
  const { db } = connection;
  if (db === undefined) throw new Error("the connection to MongoDB is not open");
  return db.collection<D>(name);
}
