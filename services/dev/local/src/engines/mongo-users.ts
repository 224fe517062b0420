import type { Peer } from "@uag/contract/access/rpc";
import { serviceNames } from "@uag/contract/routes";
import { appendOnlyRole } from "@uag/ledger/documents/roles";
import type { Db } from "mongodb";

interface Role {
  readonly role: string;
  readonly db: string;
}

const read = (db: string): Role => ({ role: "read", db });
const readWrite = (db: string): Role => ({ role: "readWrite", db });
const billingRole = appendOnlyRole("billing");

/** The database in which capability services store responses under idempotency keys. */
const responses = readWrite("idempotency");

/**
 * The databases each service may use. A service not listed here has no user, because it uses none.
 */
export const mongoAccess: Readonly<Partial<Record<Peer, readonly Role[]>>> = {
  // No updates or deletes in the ledger and the audit log. It prunes only audited rows.
  billing: [{ role: billingRole.name, db: "billing" }, read("audit")],
  // Read-only on the books and the usage events, because the auditor only reads them.
  auditor: [read("billing"), read("metering"), readWrite("audit")],
  metering: [readWrite("metering")],
  ...Object.fromEntries(serviceNames.map((name) => [name, [responses]])),
  media: [responses, readWrite("media")],
  video: [responses, readWrite("video")],
  console: [readWrite("console")],
  operator: [{ role: "root", db: "admin" }],
};

const byName = (roles: readonly Role[]): string => JSON.stringify(roles.map(({ role, db }) => `${db}.${role}`).sort());

interface KnownUser {
  readonly user: string;
  readonly roles: readonly Role[];
}

async function putRole(db: Db): Promise<void> {
  const { name, privileges } = billingRole;
  const known = await db.command({ rolesInfo: name });
  await db.command({
    ...(known["roles"].length > 0 ? { updateRole: name } : { createRole: name }),
    privileges,
    roles: [],
  });
}

/**
 * Creates missing users, and updates existing ones to the roles of the table. Must be called as the
 * operator.
 * @param passwordOf undefined for a user that must not be created
 * @param renew also sets the passwords of existing users
 */
export async function putUsers(
  admin: Db,
  billing: Db,
  passwordOf: (peer: Peer) => string | undefined,
  renew = false,
): Promise<void> {
  await putRole(billing);
  const { users } = (await admin.command({ usersInfo: 1 })) as unknown as { users: KnownUser[] };
  const known = new Map(users.map(({ user, roles }) => [user, byName(roles)]));
  const wanted = Object.entries(mongoAccess) as [Peer, readonly Role[]][];
  await Promise.all(
    wanted.map(async ([user, roles]) => {
      const pwd = passwordOf(user);
      if (pwd === undefined || (!renew && known.get(user) === byName(roles))) return;
      const rights = { pwd, roles, mechanisms: ["SCRAM-SHA-256"] };
      await admin.command(known.has(user) ? { updateUser: user, ...rights } : { createUser: user, ...rights });
    }),
  );
}

/** Creates the first user, which a client on the server's own machine may do while there is none. */
export async function putOperator(admin: Db, password: string): Promise<void> {
  const roles = mongoAccess.operator ?? [];
  await admin.command({ createUser: "operator", pwd: password, roles, mechanisms: ["SCRAM-SHA-256"] });
}
