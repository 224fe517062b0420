import { createHash, sign } from "node:crypto";
import type { Identity } from "@uag/catalog/identity";

/** How a token is fetched for an identity. */
export interface TokenGrant {
  /** Equal for grants of equal identities; no secret. */
  readonly id: string;
  /** Who grants it, for messages. */
  readonly issuer: string;
  readonly url: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  /** The form of the request, made anew for each, as an assertion has a time; absent: it is a GET. */
  readonly form?: () => URLSearchParams;
  /** Only a public address may be called: it may be an operator's. */
  readonly guarded: boolean;
}

/** An identity that requests are authorized for by a token. */
type TokenIdentity = Exclude<Identity, { type: "aws" }>;

const grants = new WeakMap<Identity, TokenGrant>();

/** The grant of an identity. */
export function tokenGrantOf(identity: TokenIdentity): TokenGrant {
  let grant = grants.get(identity);
  if (grant === undefined) {
    grant = grantOf(identity);
    grants.set(identity, grant);
  }
  return grant;
}

function grantOf(identity: TokenIdentity): TokenGrant {
  switch (identity.type) {
    case "entra":
      return entraGrant(identity);
    case "service_account":
      return accountGrant(identity);
    case "google_metadata":
      return metadataGrant(identity);
  }
}

type Of<Type extends TokenIdentity["type"]> = Extract<TokenIdentity, { type: Type }>;

const formHeaders = ["content-type", "application/x-www-form-urlencoded"];

const idOf = (identity: Identity): string => createHash("sha256").update(JSON.stringify(identity)).digest("hex");

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
function entraGrant(identity: Of<"entra">): TokenGrant {
  const { tenant_id, client_id, client_secret, scope } = identity;
  const url = identity.token_url ?? `https://login.microsoftonline.com/${tenant_id}/oauth2/v2.0/token`;
  return {
    id: idOf(identity),
    issuer: "Microsoft Entra ID",
    url,
    headers: formHeaders,
    guarded: true,
    form: () => new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret, scope }),
  };
}

const cloudScope = "https://www.googleapis.com/auth/cloud-platform";
const assertionSeconds = 3_600;
const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
function accountGrant(identity: Of<"service_account">): TokenGrant {
  const { private_key_id: kid, private_key, client_email: iss, token_uri: aud } = identity;
  const assertion = (): string => {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss, scope: cloudScope, aud, iat, exp: iat + assertionSeconds };
    const signed = `${encoded({ alg: "RS256", typ: "JWT", kid })}.${encoded(claims)}`;
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), private_key).toString("base64url")}`;
  };
  const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  return {
    id: idOf(identity),
    issuer: "Google",
    url: aud,
    headers: formHeaders,
    guarded: true,
    form: () => new URLSearchParams({ grant_type: grantType, assertion: assertion() }),
  };
}

/** https://cloud.google.com/compute/docs/access/authenticate-workloads#applications */
function metadataGrant(identity: Of<"google_metadata">): TokenGrant {
  return {
    id: idOf(identity),
    issuer: "Google's metadata server",
    url: `http://${identity.host}/computeMetadata/v1/instance/service-accounts/default/token`,
    headers: ["metadata-flavor", "Google"],
    // It is a private address, and the document is never an operator's.
    guarded: false,
  };
}
