import { type Db, MongoClient, MongoServerError } from "mongodb";

const timeoutMs = 1_000;

/** Runs work with a connection that gives up quickly, to query a server that may be starting. */
export async function withClient<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: timeoutMs, connectTimeoutMS: timeoutMs });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

export async function isWritable(admin: Db): Promise<boolean> {
  return (await admin.command({ hello: 1 }))["isWritablePrimary"] === true;
}

/** True if the server has no such user, or a different password. */
export function isUnknownUser(error: unknown): boolean {
  return error instanceof MongoServerError && error.codeName === "AuthenticationFailed";
}

const passing: readonly string[] = [
  "NotYetInitialized",
  "AlreadyInitialized",
  // A member of the set that is initiated does not listen yet.
  "NodeNotFound",
  // A queried member belongs to another set: this one has lost its volume and will be added to it.
  "NewReplicaSetConfigurationIncompatible",
  "InterruptedDueToReplStateChange",
  "NotPrimaryNoSecondaryOk",
];

/** True if the error is of a server that is starting up or electing. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MongoServerError)
    return passing.includes(String(error.codeName)) || error.hasErrorLabel("RetryableWriteError");
  return error instanceof Error && /^Mongo(ServerSelection|Network)/.test(error.name);
}
