import { connectMongo } from "@uag/mongo/connect.ts";
import type { Connection } from "mongoose";

const maxPoolSize = 32;
/** A caller is told of a database that is too busy as soon as of one that is away. */
const poolTimeoutMs = 2_000;

/** Connects to the books. While the database is out of reach calls fail within 2 s. */
export function connectBooks(where: { readonly url: string; readonly database: string }): Promise<Connection> {
  return connectMongo({ ...where, service: "billing", maxPoolSize, poolTimeoutMs });
}
