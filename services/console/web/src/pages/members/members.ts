import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { Key, Page } from "../../api/types.ts";
import type { Role, User } from "../../session/session.ts";

export type KeyLimits = Partial<
  Pick<Key, "models" | "rpm_limit" | "tpm_limit" | "max_parallel_requests" | "budget_id"> & {
    readonly max_budget: string;
  }
>;

/** A key or an admin token that keeps working when its creator is removed. */
export interface LiveCredential {
  readonly kind: "key" | "admin_token";
  readonly id: string;
  readonly name: string;
  readonly hint: string;
}

export const userPath = (id: string): string => `/users/${encodeURIComponent(id)}`;

/** A user as those who manage users see them. */
export interface Member extends User {
  readonly disabled: boolean;
  /** Whether a code of an app is needed to sign in. */
  readonly two_factor: boolean;
  /** What limits the keys that a member creates. */
  readonly key_limits: KeyLimits;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly account_id: string | null;
  readonly created_at: string;
  readonly expires_at: string;
}

export const roles = ["operator", "owner", "member", "auditor"] as const satisfies readonly Role[];

/** An invitation that was just created; its link is shown this once. */
export interface NewInvitation extends Invitation {
  readonly url: string;
  /** Whether the link was mailed to the person. */
  readonly mailed: boolean;
}

/** A listing of the console's own API, page by page. */
const listing = <T>(name: string, path: string) =>
  infiniteQueryOptions({
    queryKey: ["members", name],
    queryFn: ({ pageParam, signal }) => call<Page<T>>(path, { query: { after: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last: Page<T>) => last.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });

export const membersQuery = listing<Member>("users", "/users");
export const invitationsQuery = listing<Invitation>("invitations", "/invitations");

/** How many invitations the account's people may create per hour; null: as many as they like. */
interface InvitationBudget {
  readonly per_hour: number | null;
  readonly used: number;
  readonly full_at: string | null;
}

export const invitationBudgetQuery = queryOptions({
  queryKey: ["members", "invitation budget"],
  queryFn: ({ signal }) => call<InvitationBudget>("/invitation-budget", { signal }),
});
