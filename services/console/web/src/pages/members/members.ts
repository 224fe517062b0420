import { infiniteQueryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { Page } from "../../api/types.ts";
import type { Role, User } from "../../session/session.ts";

/** A user as those who manage users see them. */
export interface Member extends User {
  readonly disabled: boolean;
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
