import { createHash, randomBytes } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { networkOf } from "@uag/untrusted/http/network";
import { type Request, type Response, Router } from "express";
import { z } from "zod";
import { readChecked } from "../http/read-json.ts";
import { requestIdOf } from "../http/refuse.ts";
import { mailTexts } from "../mail/texts.ts";
import { addressOf } from "../people/authenticate.ts";
import { endSessions } from "../people/leave.ts";
import type { Bucket } from "../store/buckets.ts";
import type { UserDocument } from "../store/users.ts";
import { email, newPassword } from "./fields.ts";
import type { SignInParts } from "./parts.ts";

const lifetimeMinutes = 30;
const tokenBytes = 32;
const tokenPattern = /^[\w-]{43}$/;
/** Requests from one network, and mails to one address, per hour. */
const perNetwork = 20;
const perAddress = 3;

const asked = z.strictObject({ email });
const completed = z.strictObject({ token: z.string().max(100), password: newPassword });

const digestOf = (token: string): string => createHash("sha256").update(token).digest("base64url");

function hourly(kind: string, of: string, free: number): Bucket {
  return { id: digestOf(`password reset ${kind}: ${of}`), free, perSecond: free / 3_600 };
}

/** Routes for those who have forgotten their password. */
export function passwordResetRoutes(parts: SignInParts): Router {
  const router = Router();
  router.post("/password-resets", (request, response) => ask(request, response, parts));
  router.post("/password-resets/complete", (request, response) => complete(request, response, parts));
  return router;
}

/**
 * Mails a link to a user. The response, and the time until it, are the same for every address, so
 * that they do not disclose which have a user.
 */
async function ask(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { mail, buckets, events } = parts;
  if (!(await mail.isConfigured())) throw new GatewayError("not_found", "This console does not send mail.");
  const given = await readChecked(request, asked);
  const retryAfterMs = await buckets.take(hourly("network", networkOf(addressOf(request)), perNetwork));
  if (retryAfterMs > 0) {
    const text = "Too many password resets were requested. Wait before you try again.";
    throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
  }
  const from = { requestId: requestIdOf(request), clientAddress: addressOf(request) };
  mailLink(parts, given.email, from).catch((error: unknown) => events.mailed("failed", error));
  response.status(202).json({ object: "console_password_reset", expires_in_minutes: lifetimeMinutes });
}

interface From {
  readonly requestId: string;
  readonly clientAddress: string;
}

async function mailLink(parts: SignInParts, address: string, from: From): Promise<void> {
  const { store, buckets, mail, audit, baseUrl } = parts;
  const user = await store.users.findOne({ email: address, disabled: false }).lean<UserDocument>();
  if (user === null || user.password === null) return;
  if ((await buckets.take(hourly("address", address, perAddress))) > 0) return;
  const { _id: userId, accountId, language } = user;
  const actor = { id: "anonymous", name: address, ...from };
  await audit.record(actor, { action: "console.password_reset_request", targetId: userId, accountId });
  const token = randomBytes(tokenBytes).toString("base64url");
  const endsAt = new Date(Date.now() + lifetimeMinutes * 60_000);
  await store.passwordResets.create([{ _id: digestOf(token), userId, endsAt }]);
  // The token is in the fragment: browsers do not send it, so no server logs it.
  const link = `${baseUrl}/console/reset-password#${token}`;
  await mail.send(address, mailTexts(language).passwordReset(link, lifetimeMinutes));
}

const over = (): GatewayError =>
  new GatewayError("not_found", "The link is invalid, used or expired. Request a new one.");

/**
 * Sets the password of a link's user, and signs them out everywhere. A second factor stays: who
 * reads the mail must still have it to sign in.
 */
async function complete(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { store, passwords, devices, audit, throttle, mail } = parts;
  const clientAddress = addressOf(request);
  const giveBack = await throttle.count({ address: clientAddress, name: `password reset ${clientAddress}` });
  const { token, password } = await readChecked(request, completed);
  const user = tokenPattern.test(token) ? await userOf(token, parts) : null;
  if (user === null) throw over();
  await giveBack();
  const hash = await passwords.hash(password);
  const { _id: userId, accountId, email: address } = user;
  const actor = { id: userId, name: address, requestId: requestIdOf(request), clientAddress };
  await audit.record(actor, { action: "console.password_reset", targetId: userId, accountId });
  // Deleting the row is what makes it work once.
  if ((await store.passwordResets.deleteOne({ _id: digestOf(token) })).deletedCount === 0) throw over();
  await store.users.updateOne({ _id: userId }, { $set: { password: hash } });
  await store.passwordResets.deleteMany({ userId });
  await devices.forget(userId);
  await endSessions(parts, userId);
  void mail.send(address, mailTexts(user.language).passwordChanged());
  response.status(204).end();
}

/** The user of a link that is still valid. */
async function userOf(token: string, { store }: SignInParts): Promise<UserDocument | null> {
  const reset = await store.passwordResets.findOne({ _id: digestOf(token), endsAt: { $gt: new Date() } }).lean();
  if (reset === null) return null;
  return await store.users
    .findOne({ _id: reset.userId, disabled: false, password: { $type: "string" } })
    .lean<UserDocument>();
}
