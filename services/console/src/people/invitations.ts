import { createHash, randomBytes } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate } from "@uag/mongo/errors";
import { readPage, toPageById } from "@uag/mongo/paging";
import { newId } from "@uag/runtime/ids";
import { type Request, type Response, Router } from "express";
import { z } from "zod";
import { pageOf, sendPage } from "../http/paging.ts";
import { readChecked } from "../http/read-json.ts";
import { requestIdOf } from "../http/refuse.ts";
import { mailTexts } from "../mail/texts.ts";
import { newPassword, personName } from "../sign-in/fields.ts";
import { openSession } from "../sign-in/open-session.ts";
import type { SignInParts } from "../sign-in/parts.ts";
import type { Bucket } from "../store/buckets.ts";
import type { InvitationDocument } from "../store/invitations.ts";
import type { UserDocument } from "../store/users.ts";
import { addressOf, personOf } from "./authenticate.ts";
import { checkAssignment, mayAssign, requireManager, scopeOf } from "./manage.ts";
import type { Person } from "./person.ts";
import { createInvitationRequest } from "./requests.ts";

const lifetimeMs = 7 * 86_400_000;
const tokenBytes = 32;
const maxOpen = 1_000;
/** Invitations that the people of one account may create. */
const perHour = 30;

const accept = z.strictObject({ name: personName.default(""), password: newPassword });

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();

const show = (invitation: InvitationDocument) => ({
  object: "console_invitation" as const,
  id: invitation._id,
  email: invitation.email,
  role: invitation.role,
  account_id: invitation.accountId,
  created_at: invitation.createdAt.toISOString(),
  expires_at: invitation.endsAt.toISOString(),
});

/** Routes for those who have an invitation's link. */
export function openInvitationRoutes(parts: SignInParts): Router {
  const router = Router();
  router.get("/invitations/:token", async (request, response) => {
    const { email: invited, role, accountId, endsAt } = await find(request, parts);
    response.json({ email: invited, role, account_id: accountId, expires_at: endsAt.toISOString() });
  });
  router.post("/invitations/:token/accept", (request, response) => take(request, response, parts));
  return router;
}

/** Routes for those who manage invitations. */
export function invitationRoutes(parts: SignInParts): Router {
  const router = Router();
  router.get("/invitation-budget", (_request, response) => showBudget(response, parts));
  router.post("/invitations", (request, response) => create(request, response, parts));
  router.get("/invitations", (request, response) => list(request, response, parts));
  router.delete("/invitations/:id", (request, response) => remove(request, response, parts));
  return router;
}

async function create(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { store, audit, baseUrl } = parts;
  const person = personOf(response);
  requireManager(person);
  const fields = await readChecked(request, createInvitationRequest);
  const assignment = { role: fields.role, accountId: fields.account_id ?? scopeOf(person).accountId ?? null };
  checkAssignment(person, assignment);
  if ((await store.users.exists({ email: fields.email })) !== null)
    throw new GatewayError("already_exists", "A user with this address already exists.", { param: "email" });
  if ((await store.invitations.countDocuments(scopeOf(person)).limit(maxOpen)) >= maxOpen)
    throw new GatewayError("rate_limit_exceeded", `At most ${maxOpen} invitations are open at once.`);
  await countInvitation(person, parts);
  const token = randomBytes(tokenBytes).toString("base64url");
  const now = Date.now();
  const invitation: InvitationDocument = {
    _id: newId("inv"),
    digest: digestOf(token),
    email: fields.email,
    ...assignment,
    invitedBy: person.user._id,
    createdAt: new Date(now),
    endsAt: new Date(now + lifetimeMs),
  };
  const row = {
    action: "console.invitation_create",
    targetId: invitation._id,
    accountId: assignment.accountId,
  } as const;
  await audit.record(person.actor, { ...row, after: show(invitation) });
  await store.invitations.create([invitation]);
  const url = `${baseUrl}/console/invitations/${token}`;
  response
    .status(201)
    .json({ ...show(invitation), url, mailed: await mailInvitation(person, parts, { invitation, url }) });
}

/** Mails the link where mail is configured. @returns whether the mail server has accepted it */
async function mailInvitation(
  { user }: Person,
  { mail }: SignInParts,
  { invitation, url }: { readonly invitation: InvitationDocument; readonly url: string },
): Promise<boolean> {
  const until = `${invitation.endsAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return await mail.send(invitation.email, mailTexts(user.language).invitation(user.name || user.email, url, until));
}

/** The budget of the account's invitations; undefined for operators, who have none. */
function budgetOf(person: Person): Bucket | undefined {
  const { accountId } = scopeOf(person);
  return accountId === undefined
    ? undefined
    : { id: `invitations ${accountId}`, free: perHour, perSecond: perHour / 3_600 };
}

/** @throws {GatewayError} `rate_limit_exceeded` beyond the account's budget */
async function countInvitation(person: Person, { buckets, events }: SignInParts): Promise<void> {
  const budget = budgetOf(person);
  const retryAfterMs = budget === undefined ? 0 : await buckets.take(budget);
  if (retryAfterMs === 0) return;
  events.invitationRefused(scopeOf(person).accountId ?? "");
  const text = `The account's budget of ${perHour} invitations per hour is used up. Wait for \`retry-after\`, then try again.`;
  throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
}

/** How much of the account's budget is used. */
async function showBudget(response: Response, { buckets }: SignInParts): Promise<void> {
  const person = personOf(response);
  requireManager(person);
  const budget = budgetOf(person);
  const { used, emptyInMs } = budget === undefined ? { used: 0, emptyInMs: 0 } : await buckets.read(budget);
  response.json({
    object: "console_invitation_budget",
    per_hour: budget === undefined ? null : perHour,
    used,
    full_at: emptyInMs === 0 ? null : new Date(Date.now() + emptyInMs).toISOString(),
  });
}

async function list(request: Request, response: Response, { store }: SignInParts): Promise<void> {
  const person = personOf(response);
  requireManager(person);
  const { limit, after } = readPage(pageOf(request));
  const filter = { ...scopeOf(person), endsAt: { $gt: new Date() }, ...(after !== "" && { _id: { $gt: after } }) };
  const found = await store.invitations
    .find(filter)
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<InvitationDocument[]>();
  const { rows, nextCursor } = toPageById(found, limit, ({ _id }) => _id);
  sendPage(response, rows.map(show), nextCursor);
}

async function remove(request: Request, response: Response, { store, audit }: SignInParts): Promise<void> {
  const person = personOf(response);
  requireManager(person);
  const filter = { ...scopeOf(person), _id: String(request.params["id"]) };
  const invitation = await store.invitations.findOne(filter).lean<InvitationDocument>();
  if (invitation === null) throw new GatewayError("not_found", "The invitation does not exist.", { param: "id" });
  const { _id: targetId, accountId } = invitation;
  await audit.record(person.actor, { action: "console.invitation_delete", targetId, accountId });
  await store.invitations.deleteOne({ _id: targetId });
  response.status(204).end();
}

const over = (): GatewayError =>
  new GatewayError("not_found", "The invitation is invalid, used or expired. Ask for a new one.");

const tokenPattern = /^[\w-]{43}$/;

/**
 * Whether an invitation gives no more than its inviter may give now: the inviter may have been
 * removed, or have lost the role.
 */
async function isBacked({ invitedBy, role, accountId }: InvitationDocument, { store }: SignInParts): Promise<boolean> {
  const inviter = await store.users.findOne({ _id: invitedBy, disabled: false }).lean<UserDocument>();
  return inviter !== null && mayAssign(inviter, { role, accountId });
}

/** The invitation of a link. Attempts are limited like sign-ins. */
async function find(request: Request, parts: SignInParts): Promise<InvitationDocument> {
  const { store, throttle } = parts;
  const address = addressOf(request);
  const giveBack = await throttle.count({ address, name: `invitation ${address}` });
  const token = String(request.params["token"]);
  const live = { digest: digestOf(token), endsAt: { $gt: new Date() } };
  const found = tokenPattern.test(token) ? await store.invitations.findOne(live).lean<InvitationDocument>() : null;
  if (found === null || !(await isBacked(found, parts))) throw over();
  await giveBack();
  return found;
}

/** Creates the user of an invitation, once, and signs them in. */
async function take(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { store, passwords, audit } = parts;
  const fields = await readChecked(request, accept);
  const invitation = await find(request, parts);
  const user: UserDocument = {
    _id: newId("usr"),
    email: invitation.email,
    name: fields.name,
    role: invitation.role,
    accountId: invitation.accountId,
    password: await passwords.hash(fields.password),
    language: null,
    disabled: false,
    createdAt: new Date(),
    lastSignInAt: null,
  };
  const actor = { id: user._id, name: user.email, requestId: requestIdOf(request), clientAddress: addressOf(request) };
  const { _id: targetId, accountId } = invitation;
  await audit.record(actor, { action: "console.invitation_accept", targetId, accountId });
  // Deleting the row is what makes it work once.
  if ((await store.invitations.deleteOne({ _id: targetId })).deletedCount === 0) throw over();
  await store.users.create([user]).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    throw new GatewayError("already_exists", "A user with this address already exists.");
  });
  response.status(201).json(await openSession(request, response, { parts, user, by: "invitation" }));
}
