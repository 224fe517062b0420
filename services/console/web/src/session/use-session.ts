import { useSuspenseQuery } from "@tanstack/react-query";
import { type Role, type Session, sessionQuery, type User } from "./session.ts";

/** The session of a page behind the sign-in, where there always is one. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

export function useUser(): User {
  return useSession().user;
}

const writers: Readonly<
  Record<"keys" | "billing" | "budgets" | "envelopes" | "alerts" | "members" | "webhooks", readonly Role[]>
> = {
  keys: ["operator", "owner", "member"],
  billing: ["operator"],
  budgets: ["operator", "owner"],
  envelopes: ["operator", "owner"],
  alerts: ["operator", "owner"],
  members: ["operator", "owner"],
  webhooks: ["operator", "owner"],
};

/**
 * Whether the user may change what is named; the server decides, this only hides what it would
 * refuse.
 */
export function useMayChange(what: keyof typeof writers): boolean {
  return writers[what].includes(useUser().role);
}
