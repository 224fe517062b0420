import { parseArgs } from "node:util";
import { appendOnlyRole } from "@uag/ledger/documents/roles";
import { createConnection, mongo } from "mongoose";

const help = `node services/billing/src/commands/roles.ts --database <name> [--user <name>]

Creates (or updates) the database role "billing_append_only": everything billing does, but no update and no
delete on the ledger and the audit log. With --user, creates that user with this role only, or grants it the role.

Environment:
  ADMIN_MONGODB_URL   MongoDB as a user who may create roles and users
  USER_PASSWORD       the user's password, if the user has to be created
`;

async function putRole(db: mongo.Db, database: string): Promise<string> {
  const role = appendOnlyRole(database);
  const { name, privileges } = role;
  const known = await db.command({ rolesInfo: name });
  const command = known["roles"].length > 0 ? { updateRole: name } : { createRole: name };
  await db.command({ ...command, privileges, roles: [] });
  return name;
}

async function putUser(db: mongo.Db, user: string, role: string): Promise<void> {
  const known = await db.command({ usersInfo: user });
  const roles = [{ role, db: db.databaseName }];
  if (known["users"].length > 0) {
    await db.command({ updateUser: user, roles });
    return;
  }
  const pwd = process.env["USER_PASSWORD"];
  if (pwd === undefined || pwd === "") throw new Error("USER_PASSWORD must be set to create the user");
  await db.command({ createUser: user, pwd, roles });
}

async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { database: text, user: text, help: { type: "boolean", short: "h" } } });
  const url = process.env["ADMIN_MONGODB_URL"];
  if (values.help || url === undefined || values.database === undefined) {
    process.stdout.write(help);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const connection = await createConnection(url, { dbName: values.database }).asPromise();
  try {
    if (connection.db === undefined) throw new Error("the connection to MongoDB is not open");
    const role = await putRole(connection.db, values.database);
    if (values.user !== undefined) await putUser(connection.db, values.user, role);
    process.stdout.write(`${role} on ${values.database}${values.user === undefined ? "" : ` for ${values.user}`}\n`);
  } finally {
    await connection.close();
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof mongo.MongoServerError || error instanceof Error ? error.message : error}\n`,
  );
  process.exit(1);
});
