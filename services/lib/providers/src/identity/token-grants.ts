import { sign } from "node:crypto";
import { formHeaders } from "./ask.ts";
import { cloudScope, federatedToken } from "./external-account.ts";
import { type Grant, idOf, type TokenIdentity } from "./grant.ts";
import { managedToken } from "./managed-identity.ts";
import { askForToken } from "./tokens.ts";

type Of<Type extends TokenIdentity["type"]> = Extract<TokenIdentity, { type: Type }>;

/** How the access token of an identity is fetched. */
export function tokenGrantOf(identity: TokenIdentity): Grant<string> {
  return { id: idOf(identity), fetch: fetchOf(identity) };
}

function fetchOf(identity: TokenIdentity): Grant<string>["fetch"] {
  switch (identity.type) {
    case "entra":
      return entraGrant(identity);
    case "managed_identity":
      return (ask) => managedToken(identity, ask);
    case "external_account":
      return (ask) => federatedToken(identity, ask);
    case "service_account":
      return accountGrant(identity);
    case "google_metadata":
      return metadataGrant(identity);
  }
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
function entraGrant(identity: Of<"entra">): Grant<string>["fetch"] {
  const { tenant_id, client_id, client_secret, scope } = identity;
  const url = identity.token_url ?? `https://login.microsoftonline.com/${tenant_id}/oauth2/v2.0/token`;
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret, scope });
  const request = { issuer: "Microsoft Entra ID", url, headers: formHeaders, body: form.toString() };
  return (ask) => askForToken(ask, { ...request, at: "public" });
}

const assertionSeconds = 3_600;
const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
function accountGrant(identity: Of<"service_account">): Grant<string>["fetch"] {
  const { private_key_id: kid, private_key, client_email: iss, token_uri: aud } = identity;
  // Made anew for each request, as it has a time.
  const assertion = (): string => {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss, scope: cloudScope, aud, iat, exp: iat + assertionSeconds };
    const signed = `${encoded({ alg: "RS256", typ: "JWT", kid })}.${encoded(claims)}`;
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), private_key).toString("base64url")}`;
  };
  const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const request = { issuer: "Google", url: aud, headers: formHeaders, at: "public" } as const;
  return (ask) => {
    const body = new URLSearchParams({ grant_type: grantType, assertion: assertion() }).toString();
    return askForToken(ask, { ...request, body });
  };
}

/** https://cloud.google.com/compute/docs/access/authenticate-workloads#applications */
function metadataGrant({ host }: Of<"google_metadata">): Grant<string>["fetch"] {
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  const remedy = "Run the service on Google Cloud with a service account, or use another credential.";
  const issuer = "Google's metadata server";
  return (ask) => askForToken(ask, { issuer, url, headers: ["metadata-flavor", "Google"], at: "machine", remedy });
}
