import type { Peer } from "@uag/contract/access/rpc";
import { serviceNames } from "@uag/contract/routes";
import { appendOnlyRole, collectionsRole } from "@uag/ledger/documents/roles";
import type { Db, MongoClient } from "mongodb";

interface Role {
  readonly role: string;
  readonly db: string;
}

const read = (db: string): Role => ({ role: "read", db });
const readWrite = (db: string): Role => ({ role: "readWrite", db });
const billingRole = { db: "billing", ...appendOnlyRole("billing") };
/** Video and notifications have their collections in one database. */
const videoRole = { db: "video", ...collectionsRole("video", "video_tasks", ["tasks", "rates"]) };
const notificationsRole = {
  db: "video",
  ...collectionsRole("video", "video_notifications", [
    "deliveries",
    "webhook_secrets",
    "budgets",
    "mail_pauses",
    "mail_confirmations",
  ]),
};
/** The roles that MongoDB does not have, each in the database that it is about. */
export const ownRoles = [billingRole, videoRole, notificationsRole];

const own = ({ name: role, db }: { readonly name: string; readonly db: string }): Role => ({ role, db });

/** The database in which capability services store responses under idempotency keys. */
const responses = readWrite("idempotency");

/**
 * The databases each service may use. A service not listed here has no user, because it uses none.
 */
export const mongoAccess: Readonly<Partial<Record<Peer, readonly Role[]>>> = {
  // No updates or deletes in the ledger and the audit log. It prunes only audited rows.
  billing: [own(billingRole), read("audit")],
  // Read-only on the books and the usage events, because the auditor only reads them.
  auditor: [read("billing"), read("metering"), readWrite("audit")],
  metering: [readWrite("metering")],
  ...Object.fromEntries(serviceNames.map((name) => [name, [responses]])),
  chat: [responses, readWrite("chat")],
  media: [responses, readWrite("media")],
  video: [responses, own(videoRole)],
  notifications: [own(notificationsRole)],
  console: [readWrite("console")],
  operator: [{ role: "root", db: "admin" }],
};

const byName = (roles: readonly Role[]): string => JSON.stringify(roles.map(({ role, db }) => `${db}.${role}`).sort());

interface KnownUser {
  readonly user: string;
  readonly roles: readonly Role[];
}

async function putRole(db: Db, { name, privileges }: (typeof ownRoles)[number]): Promise<void> {
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
 * @param passwordOf undefined for a user that must not be created, and whose password stays
 * @param renew also sets the passwords of existing users
 * @returns the users that were created or updated
 */
export async function putUsers(
  client: MongoClient,
  passwordOf: (peer: Peer) => string | undefined,
  renew = false,
): Promise<Peer[]> {
  const admin = client.db("admin");
  for (const role of ownRoles) await putRole(client.db(role.db), role);
  const { users } = (await admin.command({ usersInfo: 1 })) as unknown as { users: KnownUser[] };
  const known = new Map(users.map(({ user, roles }) => [user, byName(roles)]));
  const wanted = Object.entries(mongoAccess) as [Peer, readonly Role[]][];
  const put = await Promise.all(
    wanted.map(async ([user, roles]) => {
      const pwd = passwordOf(user);
      const isKnown = known.has(user);
      if (isKnown ? !(renew && pwd) && known.get(user) === byName(roles) : pwd === undefined) return [];
      const rights = { roles, ...(pwd !== undefined && { pwd, mechanisms: ["SCRAM-SHA-256"] }) };
      await admin.command(isKnown ? { updateUser: user, ...rights } : { createUser: user, ...rights });
      return [user];
    }),
  );
  return put.flat();
}

/** Creates the first user, which a client on the server's own machine may do while there is none. */
export async function putOperator(admin: Db, password: string): Promise<void> {
  const roles = mongoAccess.operator ?? [];
  await admin.command({ createUser: "operator", pwd: password, roles, mechanisms: ["SCRAM-SHA-256"] });
}
