import type { Peer } from "@uag/contract/access/rpc";
import type { Db } from "mongodb";
import { isUnknownUser, withClient } from "./mongo-client.ts";
import { putOperator, putUsers } from "./mongo-users.ts";

/** One member of a replica set, as seen from its pod. */
export interface Member {
  /** Path of its Unix socket, whose clients are on the server's own machine. */
  readonly socket: string;
  /** Name of the replica set. */
  readonly set: string;
  /** All members, as `host:port`. */
  readonly members: readonly string[];
  /** Whether this member may initiate a set. */
  readonly first: boolean;
  /** CA certificates to verify other members. */
  readonly caFile: string;
}

/** The users' passwords by name; `operator` creates the other users. */
export type Passwords = Readonly<Partial<Record<Peer, string>>> & { readonly operator: string };

/** The state of a member, from `hello`. */
interface Hello {
  readonly setName?: string;
  readonly isWritablePrimary?: boolean;
  readonly secondary?: boolean;
  /** The primary, if any, and this member; equal even before the primary accepts writes. */
  readonly primary?: string;
  readonly me?: string;
}

interface SetConfig {
  readonly version: number;
  readonly members: readonly { readonly _id: number; readonly host: string }[];
}

/** Maximum number of voting members of a set: MongoDB's limit. */
const maxVoting = 7;

/** A connection to the member itself. Its certificate has no name for a socket, which no other server can serve. */
function urlOf({ socket, caFile }: Member, password?: string): string {
  const user = password === undefined ? "" : `operator:${encodeURIComponent(password)}@`;
  const tls = `tls=true&tlsCAFile=${encodeURIComponent(caFile)}&tlsAllowInvalidHostnames=true`;
  return `mongodb://${user}${encodeURIComponent(socket)}/?directConnection=true&authSource=admin&${tls}`;
}

const helloOf = async (admin: Db): Promise<Hello> => (await admin.command({ hello: 1 })) as Hello;

/**
 * Takes the member one step further: initiates the set if there is none; on the primary, creates
 * users and adds members.
 * @param renew also sets the passwords of existing users
 * @returns whether clients may use the member
 * @throws the server's error while it is starting or electing
 */
export async function tendMember(member: Member, passwords: Passwords, renew: boolean): Promise<boolean> {
  return await withClient(urlOf(member), async (client) => {
    const admin = client.db("admin");
    const { setName, isWritablePrimary, secondary, primary, me } = await helloOf(admin);
    if (setName === undefined) {
      if (member.first) await initiate(admin, member);
      return false;
    }
    if (isWritablePrimary === true) return await tendPrimary(admin, member, { passwords, renew });
    return secondary === true && primary !== undefined && primary !== me;
  });
}

/**
 * The server refuses while a member is unreachable or belongs to a set, so a first member that has
 * lost its volume does not initiate another set, and the other members add it again.
 */
async function initiate(admin: Db, { set, members }: Member): Promise<void> {
  await admin.command({ replSetInitiate: { _id: set, members: members.map((host, _id) => ({ _id, host })) } });
}

/** Returns whether every user exists. */
async function tendPrimary(
  local: Db,
  member: Member,
  { passwords, renew }: { readonly passwords: Passwords; readonly renew: boolean },
): Promise<boolean> {
  try {
    await withClient(urlOf(member, passwords.operator), async (client) => {
      const admin = client.db("admin");
      await putUsers(client, (peer) => passwords[peer], renew);
      await addMember(admin, member);
    });
    return true;
  } catch (error) {
    if (!isUnknownUser(error)) throw error;
    // Either there are no users yet, or the operator's password differs; then the server refuses this.
    await putOperator(local, passwords.operator);
    return false;
  }
}

/** Adds the next missing member, because the set accepts one at a time. */
async function addMember(admin: Db, { members }: Member): Promise<void> {
  const response = await admin.command({ replSetGetConfig: 1 });
  const config = response["config"] as SetConfig;
  const known = new Set(config.members.map(({ host }) => host));
  const host = members.find((one) => !known.has(one));
  if (host === undefined) return;
  const nextId = Math.max(...config.members.map((one) => one._id)) + 1;
  const votes = config.members.length < maxVoting ? 1 : 0;
  const added = [...config.members, { _id: nextId, host, votes, priority: votes }];
  await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members: added } });
}

/** Makes the member reload its certificate. */
export async function rotateCertificates(member: Member, passwords: Passwords): Promise<void> {
  await withClient(urlOf(member, passwords.operator), (client) =>
    client.db("admin").command({ rotateCertificates: 1 }),
  );
}
