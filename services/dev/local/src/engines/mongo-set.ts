import type { Peer } from "@uag/contract/access/rpc";
import type { Db } from "mongodb";
import { isUnknownUser, withClient } from "./mongo-client.ts";
import { putOperator, putUsers } from "./mongo-users.ts";

/** One member of a replica set, seen from the pod in which it runs. */
export interface Member {
  /** Path of its Unix socket: who comes by it is on the server's own machine. */
  readonly socket: string;
  /** Name of the replica set. */
  readonly set: string;
  /** All members, as `host:port`. */
  readonly members: readonly string[];
  /** Whether this is the one that may begin a set. */
  readonly first: boolean;
  /** Certificates that other members are believed by. */
  readonly caFile: string;
}

/** The passwords of users, by name; `operator` is who makes the others. */
export type Passwords = Readonly<Partial<Record<Peer, string>>> & { readonly operator: string };

/** What is told of a member by `hello`. */
interface Hello {
  readonly setName?: string;
  readonly isWritablePrimary?: boolean;
  readonly secondary?: boolean;
  /** The primary, where there is one, and this member; the same before it takes writes. */
  readonly primary?: string;
  readonly me?: string;
}

interface SetConfig {
  readonly version: number;
  readonly members: readonly { readonly _id: number; readonly host: string }[];
}

/** How many members of a set may vote: MongoDB's own limit. */
const maxVoting = 7;

/** The member itself. Its certificate has no name for a socket, which nobody else can serve. */
function urlOf({ socket, caFile }: Member, password?: string): string {
  const user = password === undefined ? "" : `operator:${encodeURIComponent(password)}@`;
  const tls = `tls=true&tlsCAFile=${encodeURIComponent(caFile)}&tlsAllowInvalidHostnames=true`;
  return `mongodb://${user}${encodeURIComponent(socket)}/?directConnection=true&authSource=admin&${tls}`;
}

const helloOf = async (admin: Db): Promise<Hello> => (await admin.command({ hello: 1 })) as Hello;

/**
 * Brings the member one step further: begins the set where there is none, and, on its primary,
 * makes users and adds members.
 * @param renew also sets the passwords of users that are there
 * @returns whether the member is one that clients may use
 * @throws what the server says while it is starting or electing
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
 * The server refuses while a member does not answer, or belongs to a set: a first member that has
 * lost its volume begins no other one, and the others bring it back.
 */
async function initiate(admin: Db, { set, members }: Member): Promise<void> {
  await admin.command({ replSetInitiate: { _id: set, members: members.map((host, _id) => ({ _id, host })) } });
}

/** Returns whether every user is there. */
async function tendPrimary(
  local: Db,
  member: Member,
  { passwords, renew }: { readonly passwords: Passwords; readonly renew: boolean },
): Promise<boolean> {
  try {
    await withClient(urlOf(member, passwords.operator), async (client) => {
      const admin = client.db("admin");
      await putUsers(admin, client.db("billing"), (peer) => passwords[peer], renew);
      await addMember(admin, member);
    });
    return true;
  } catch (error) {
    if (!isUnknownUser(error)) throw error;
    // There are no users yet, or the operator's password is another: then this is refused.
    await putOperator(local, passwords.operator);
    return false;
  }
}

/** Adds the next member that the set does not have: it takes one at a time. */
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

/** Has the member read its certificate again. */
export async function rotateCertificates(member: Member, passwords: Passwords): Promise<void> {
  await withClient(urlOf(member, passwords.operator), (client) =>
    client.db("admin").command({ rotateCertificates: 1 }),
  );
}
