// Creates the MongoDB users of the services, and updates their roles, in a MongoDB of the operator's own.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readConfig } from "@uag/runtime/config";
import { MongoClient } from "mongodb";
import { z } from "zod";
import { fail, print, UserError } from "../terminal/step.mjs";
import { atlasAccess, mongoshScript } from "./mongo-access-files.ts";
import { passwordsOf } from "./mongo-passwords.ts";
import { putUsers } from "./mongo-users.ts";

const help = `node services/dev/local/src/engines/put-mongo-users.ts [--print mongosh|atlas]

Creates (or updates) the roles of the services' MongoDB users: each may use its own collections only, and billing can
neither update nor delete rows of the ledger and the audit log. Existing users get the roles of this release; users with a
password in PASSWORDS are created. All are in the database "admin" (authSource=admin).

  --print mongosh   changes nothing and prints a script for mongosh that does the same
  --print atlas     changes nothing and prints JSON: the bodies of the Atlas Admin API's requests that create the roles
                    and users; add a password to each user

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
  const options = { print: { type: "string" }, help: { type: "boolean", short: "h" } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return print(help);
  if (values.print === "mongosh") return print(mongoshScript().trimEnd());
  if (values.print === "atlas") return print(JSON.stringify(atlasAccess(), null, 2));
  if (values.print !== undefined) throw new UserError(`--print must be mongosh or atlas, not ${values.print}`);
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
