import { createHash } from "node:crypto";
import type { Identity } from "@uag/catalog/identity";

/** How a token is fetched for an identity. */
export interface TokenGrant {
  /** Equal for grants of equal identities; no secret. */
  readonly id: string;
  /** Who grants it, for messages. */
  readonly issuer: string;
  readonly url: string;
  /** The form of the request, made anew for each: an assertion has a time. */
  form(): URLSearchParams;
}

const grants = new WeakMap<Identity, TokenGrant>();

/** The grant of an identity. */
export function tokenGrantOf(identity: Identity): TokenGrant {
  let grant = grants.get(identity);
  if (grant === undefined) {
    grant = entraGrant(identity);
    grants.set(identity, grant);
  }
  return grant;
}

const idOf = (identity: Identity): string => createHash("sha256").update(JSON.stringify(identity)).digest("hex");

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
function entraGrant(identity: Identity): TokenGrant {
  const { tenant_id, client_id, client_secret, scope } = identity;
  const url = identity.token_url ?? `https://login.microsoftonline.com/${tenant_id}/oauth2/v2.0/token`;
  return {
    id: idOf(identity),
    issuer: "Microsoft Entra ID",
    url,
    form: () => new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret, scope }),
  };
}
