import type { PagePath } from "../pages/paths.ts";
import type { Role, User } from "./session.ts";

const roles =
  (...names: readonly Role[]) =>
  ({ role }: User): boolean =>
    names.includes(role);

const spends = roles("operator", "owner", "member");
const sees = roles("operator", "owner", "auditor");
const operates = roles("operator");
const seesEverything = (user: User): boolean => operates(user) || (user.role === "auditor" && user.account_id === null);

/** Who opens a page, where it is not everybody. */
const readers: Readonly<Partial<Record<PagePath, (user: User) => boolean>>> = {
  "/": sees,
  "/playground": spends,
  "/billing": sees,
  "/billing/$month": sees,
  "/webhooks": sees,
  "/members": roles("operator", "owner"),
  "/audit-log": sees,
  "/accounts": seesEverything,
  "/unpriced": operates,
  "/prices": operates,
  "/providers": operates,
  "/fleet": seesEverything,
  "/provider-bills": seesEverything,
};

/** A page that the person's role does not have. */
export class NotForRoleError extends Error {
  override readonly name = "NotForRoleError";
}

/**
 * Whether the person's role has the page; the server decides, this only hides what it would refuse.
 */
export function mayOpen(path: PagePath, user: User): boolean {
  return readers[path]?.(user) ?? true;
}
