import { GatewayError } from "@uag/contract/errors/gateway-error";
import { queryOf } from "@uag/runtime/http/target";
import type { Request } from "express";
import { type LeftBehindParts, leftBehindBy, revokeLeftBehind } from "../admin-api/left-behind.ts";
import type { SignInParts } from "../sign-in/parts.ts";
import type { UserDocument } from "../store/users.ts";
import type { Person } from "./person.ts";

export type LeaveParts = SignInParts & LeftBehindParts;

/** Ends a user's sessions, with the tokens and playground keys that were created for them. */
export async function endSessions({ sessions, credentials }: SignInParts, userId: string): Promise<void> {
  await credentials.revoke(await sessions.endAll(userId));
}

/** Withdraws the open invitations by a user, and those to their address. */
export async function withdrawInvitations({ store }: SignInParts, { _id, email }: UserDocument): Promise<void> {
  await store.invitations.deleteMany({ $or: [{ invitedBy: _id }, { email }] });
}

/**
 * Removes a user. Their keys and admin tokens keep working only if the manager chooses so.
 * @throws {GatewayError} `invalid_request` while the manager has not chosen whether they keep working
 */
export async function removeUser(
  request: Request,
  parts: LeaveParts,
  { person, user }: { readonly person: Person; readonly user: UserDocument },
): Promise<void> {
  const { store, devices, audit } = parts;
  if (user.subject !== undefined) {
    const text =
      "The sign-in provider would admit this user again. Disable the user, or remove their role at the provider.";
    throw new GatewayError("invalid_request", text, { param: "id" });
  }
  const left = await leftBehindBy(parts, person, user);
  const choice = queryOf(request.originalUrl).get("credentials");
  if (left.length > 0 && choice !== "revoke" && choice !== "keep") {
    const text = `credentials: the person has created ${left.length} keys or tokens. Say revoke or keep.`;
    throw new GatewayError("invalid_request", text, { param: "credentials" });
  }
  const { _id: targetId, accountId, email } = user;
  const after = { email, credentials: left.map(({ id }) => id), choice };
  await audit.record(person.actor, { action: "console.user_delete", targetId, accountId, after });
  // First nothing new can be created; then what there is ends; a failure leaves the user to retry.
  await store.users.updateOne({ _id: targetId }, { $set: { disabled: true } });
  await withdrawInvitations(parts, user);
  await endSessions(parts, targetId);
  await devices.forget(targetId);
  if (choice === "revoke") await revokeLeftBehind(parts, person, await leftBehindBy(parts, person, user));
  await store.users.deleteOne({ _id: targetId });
}
