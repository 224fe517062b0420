import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readPage, toPageById } from "@uag/mongo/paging";
import { type Request, type Response, Router } from "express";
import type { z } from "zod";
import { leftBehindBy } from "../admin-api/left-behind.ts";
import { pageOf, sendPage } from "../http/paging.ts";
import { readChecked } from "../http/read-json.ts";
import type { SignInParts } from "../sign-in/parts.ts";
import type { UserDocument } from "../store/users.ts";
import { personOf } from "./authenticate.ts";
import { storedLimits } from "./key-limits.ts";
import { endSessions, type LeaveParts, removeUser, withdrawInvitations } from "./leave.ts";
import { limitMember } from "./limit-member.ts";
import { checkAssignment, requireManager, scopeOf } from "./manage.ts";
import type { Person } from "./person.ts";
import { updateUserRequest } from "./requests.ts";
import { showMember } from "./show.ts";

const missing = (): GatewayError => new GatewayError("not_found", "The user does not exist.", { param: "id" });

/** Users: operators see all of them, owners those of their account. */
export function userRoutes(parts: LeaveParts): Router {
  const router = Router();
  router.get("/users", (request, response) => list(request, response, parts));
  router.patch("/users/:id", (request, response) => update(request, response, parts));
  router.delete("/users/:id/two-factor", (request, response) => resetTwoFactor(request, response, parts));
  router.get("/users/:id/credentials", (request, response) => listLeftBehind(request, response, parts));
  router.delete("/users/:id", (request, response) => remove(request, response, parts));
  return router;
}

async function list(request: Request, response: Response, { store }: SignInParts): Promise<void> {
  const person = personOf(response);
  requireManager(person);
  const { limit, after } = readPage(pageOf(request));
  const filter = { ...scopeOf(person), ...(after !== "" && { _id: { $gt: after } }) };
  const found = await store.users
    .find(filter)
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<UserDocument[]>();
  const { rows, nextCursor } = toPageById(found, limit, ({ _id }) => _id);
  sendPage(response, rows.map(showMember), nextCursor);
}

/**
 * The user of the path, who must not be the caller: the last operator could lock themselves out.
 */
async function otherUser(request: Request, person: Person, { store }: SignInParts): Promise<UserDocument> {
  requireManager(person);
  const id = String(request.params["id"]);
  const user = await store.users.findOne({ ...scopeOf(person), _id: id }).lean<UserDocument>();
  if (user === null) throw missing();
  if (user._id === person.user._id)
    throw new GatewayError("permission_denied", "You cannot change your own role. Ask another administrator.");
  return user;
}

async function update(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const person = personOf(response);
  const before = await otherUser(request, person, parts);
  const { key_limits: limits, ...fields } = await readChecked(request, updateUserRequest);
  if (Object.keys(fields).length > 0) await assign(parts, { person, before, fields });
  if (limits !== undefined)
    await limitMember(parts, { actor: person.actor, user: before, limits: storedLimits(limits) });
  const after = await parts.store.users.findOne({ _id: before._id }).lean<UserDocument>();
  if (after === null) throw missing();
  response.json(showMember(after));
}

interface Assigned {
  readonly person: Person;
  readonly before: UserDocument;
  readonly fields: Omit<z.output<typeof updateUserRequest>, "key_limits">;
}

async function assign(parts: SignInParts, { person, before, fields }: Assigned): Promise<void> {
  const { store, audit } = parts;
  const assignment = {
    role: fields.role ?? before.role,
    accountId: fields.account_id === undefined ? before.accountId : fields.account_id,
  };
  checkAssignment(person, assignment);
  const set = { ...assignment, disabled: fields.disabled ?? before.disabled };
  const { _id: targetId } = before;
  const after = { before: showMember(before), after: set };
  await audit.record(person.actor, { action: "console.user_update", targetId, accountId: assignment.accountId, after });
  await store.users.updateOne({ _id: targetId }, { $set: set });
  // Credentials of the old role must not be used any longer; a disabled user is signed out at once.
  await endSessions(parts, targetId);
  await withdrawInvitations(parts, before);
}

/**
 * Removes the second factor of a user who has lost it. An operator does so, once they know that it
 * is the user who asks.
 */
async function resetTwoFactor(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const person = personOf(response);
  if (person.user.role !== "operator")
    throw new GatewayError("permission_denied", "Only operators can reset two-factor authentication.");
  const { _id: targetId, accountId } = await otherUser(request, person, parts);
  await parts.audit.record(person.actor, { action: "console.two_factor_reset", targetId, accountId });
  await parts.twoFactor.remove(targetId);
  await endSessions(parts, targetId);
  response.status(204).end();
}

async function remove(request: Request, response: Response, parts: LeaveParts): Promise<void> {
  const person = personOf(response);
  const user = await otherUser(request, person, parts);
  await removeUser(request, parts, { person, user });
  response.status(204).end();
}

async function listLeftBehind(request: Request, response: Response, parts: LeaveParts): Promise<void> {
  const person = personOf(response);
  const user = await otherUser(request, person, parts);
  response.json({ object: "list", data: await leftBehindBy(parts, person, user) });
}
