// Creates the MongoDB users of the services, and updates their roles, in a MongoDB of the operator's own.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readConfig } from "@uag/runtime/config";
import { MongoClient } from "mongodb";
import { z } from "zod";
import { fail, print } from "../terminal/step.mjs";
import { passwordsOf } from "./mongo-passwords.ts";
import { putUsers } from "./mongo-users.ts";

const help = `node services/dev/local/src/engines/put-mongo-users.ts

Creates (or updates) the roles of the services' MongoDB users: each may use its own collections only, and billing can
neither update nor delete rows of the ledger and the audit log. Existing users get the roles of this release; users with a
password in PASSWORDS are created. All are in the database "admin" (authSource=admin).

Environment:
  ADMIN_MONGODB_URL   MongoDB, as a user who may create roles and users; or ADMIN_MONGODB_URL_FILE
  PASSWORDS           file with the passwords of the users to create, JSON by name; may be missing
`;

const schema = z.object({
  ADMIN_MONGODB_URL: z.string().min(1).describe("MongoDB, as a user who may create roles and users."),
  PASSWORDS: z.string().optional().describe("File with the passwords of the users to create, JSON by name."),
});

async function passwordsIn(file: string | undefined): Promise<ReturnType<typeof passwordsOf>> {
  if (file === undefined) return {};
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  return passwordsOf(text);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
  if (values.help) return print(help);
  const { ADMIN_MONGODB_URL: url, PASSWORDS: file } = readConfig(schema);
  const passwords = await passwordsIn(file);
  const client = new MongoClient(url);
  try {
    const updated = await putUsers(client, (peer) => passwords[peer]);
    print(updated.length === 0 ? "All users have their roles." : `Created or updated: ${updated.join(", ")}`);
  } finally {
    await client.close();
  }
}

await main().catch(fail);
