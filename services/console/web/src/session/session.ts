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

interface TwoFactor {
  /** False where the console has no key to protect the secret, and for users of a sign-in provider. */
  readonly offered: boolean;
  readonly enabled: boolean;
  /** By the user's role. */
  readonly required: boolean;
  readonly recovery_codes_left: number;
}

export interface Session {
  readonly user: User;
  readonly csrf_token: string;
  readonly expires_at: string;
  readonly console: { readonly version: string };
  /** Where clients reach the gateway. */
  readonly base_url: string;
  /** Providers that a simulator replaces, with the variable of the real one's key. */
  readonly simulated: readonly { readonly provider: string; readonly variable: string }[];
  readonly two_factor: TwoFactor;
}

/** Whether the user has to set up two-factor authentication before anything else. */
export const mustSetUpTwoFactor = ({ two_factor }: Session): boolean => two_factor.required && !two_factor.enabled;

/** Characters of a new password, at least. */
export const shortestPassword = 12;

const signedInKey = "console-signed-in";

/** Whether the last visit ended with a session, which the cookie that scripts cannot read may still hold. */
export const mayBeSignedIn = (): boolean => localStorage.getItem(signedInKey) !== null;

/** Takes a session over: from now on calls carry its token. */
export function adopt(session: Session): Session {
  setCsrfToken(session.csrf_token);
  localStorage.setItem(signedInKey, "true");
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
  localStorage.removeItem(signedInKey);
}
