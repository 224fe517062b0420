import { GatewayError } from "@uag/contract/errors/gateway-error";
import { z } from "zod";
import { type Role, roles, type UserDocument } from "../store/users.ts";
import type { Person } from "./person.ts";

/** A user's role, and the account that it is for. */
export interface RoleAssignment {
  readonly role: Role;
  /** Null for all accounts. */
  readonly accountId: string | null;
}

const accountId = z
  .string()
  .regex(/^[\w.:-]{1,200}$/, "Must be an id.")
  .nullable();

export const assignmentFields = { role: z.enum(roles), account_id: accountId } as const;

const denied = (text: string): GatewayError => new GatewayError("permission_denied", text);

/** @throws {GatewayError} `permission_denied` for users who may not manage others */
export function requireManager({ user }: Person): void {
  if (user.role !== "operator" && user.role !== "owner") throw denied("Your role does not allow that.");
}

/** The users that a person may see: an operator all, an owner those of the account. */
export function scopeOf({ user }: Person): { accountId?: string } {
  return user.role === "operator" ? {} : { accountId: user.accountId ?? "" };
}

/** Whether a user may give a role: an owner only within their own account. */
export function mayAssign({ role: own, accountId: scope }: UserDocument, { role, accountId: account }: RoleAssignment) {
  return own === "operator" || (own === "owner" && role !== "operator" && account === scope);
}

/**
 * Checks that a person may assign a role.
 * @throws {GatewayError} `permission_denied`, naming the field, for a role that the person may not assign;
 * `invalid_request` for an account that does not fit the role
 */
export function checkAssignment({ user }: Person, { role, accountId: account }: RoleAssignment): void {
  if (!mayAssign(user, { role, accountId: account })) {
    const param = mayAssign(user, { role, accountId: user.accountId }) ? "account_id" : "role";
    throw new GatewayError("permission_denied", "An owner can assign roles only in their own account.", { param });
  }
  if (role === "operator" && account !== null)
    throw new GatewayError("invalid_request", "An operator cannot be limited to one account.", { param: "account_id" });
  if ((role === "owner" || role === "member") && account === null)
    throw new GatewayError("invalid_request", "An owner or a member needs an account.", { param: "account_id" });
}
