import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { call, setCsrfToken } from "../api/http.ts";

export type Role = "operator" | "owner" | "member" | "auditor";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Null for operators and others who see every account. */
  readonly account_id: string | null;
  readonly language: string | null;
}

export interface Session {
  readonly user: User;
  readonly csrf_token: string;
  readonly expires_at: string;
  readonly console: { readonly version: string };
  /** Where clients reach the gateway. */
  readonly base_url: string;
}

/** Takes a session over: from now on calls carry its token. */
export function adopt(session: Session): Session {
  setCsrfToken(session.csrf_token);
  return session;
}

/** The signed-in user. Fails with 401 without a session. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => adopt(await call<Session>("/session")),
  staleTime: 300_000,
  retry: false,
});

/** Forgets everything that was shown to the one who was signed in. */
export function forget(client: QueryClient): void {
  client.clear();
  setCsrfToken("");
}
