import { uuidOf } from "../content/uuid.ts";
import { type Call, type JsonReply, type Protocol, type Provider, Rejection, type Reply } from "../http/types.ts";
import { assertionFault } from "./accounts.ts";
import { subjectFault } from "./subject-token.ts";
import { googleTokens } from "./tokens.ts";

const refused = (status: number, error: string, errorDescription: string): JsonReply => ({
  type: "json",
  status,
  body: { error, error_description: errorDescription },
});

const protocol: Protocol = {
  provider: "google",
  open: true,
  credential: () => undefined,
  unauthorized: () => refused(401, "invalid_client", "Unauthorized"),
  notFound: () => refused(404, "not_found", "Not Found"),
  badJson: () => refused(400, "invalid_request", "Bad Request"),
  tooLarge: () => refused(413, "invalid_request", "Request too large"),
  error: ({ status, message }) =>
    refused(status, status >= 500 ? "internal_failure" : "invalid_request", message ?? "Failed"),
  streamError: () => ({ data: "" }),
  newRequestId: uuidOf,
  headers: () => ({ "cache-control": "private" }),
};

/** `POST /token` with a service account's assertion. */
function token(call: Call): Reply {
  const { grant_type, assertion = "" } = call.body as Record<string, string>;
  if (grant_type !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
    throw new Rejection(refused(400, "unsupported_grant_type", `Invalid grant_type: ${grant_type}`));
  const fault = assertionFault(assertion, call.origin + call.path);
  if (fault !== undefined) throw new Rejection(refused(400, "invalid_grant", fault));
  return { type: "json", status: 200, body: googleTokens.grant() };
}

/** `POST /v1/token` (https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token). */
function exchange(call: Call): Reply {
  const fields = call.body as Record<string, string>;
  if (fields["grant_type"] !== "urn:ietf:params:oauth:grant-type:token-exchange")
    throw new Rejection(refused(400, "unsupported_grant_type", "Invalid grant_type."));
  if (fields["requested_token_type"] !== accessTokenType || !fields["scope"]?.includes("cloud-platform"))
    throw new Rejection(refused(400, "invalid_request", "Invalid requested_token_type or scope."));
  const fault = subjectFault(fields);
  if (fault !== undefined) throw new Rejection(refused(400, "invalid_grant", fault));
  return { type: "json", status: 200, body: { ...googleTokens.grant(), issued_token_type: accessTokenType } };
}

const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

const apiError = (status: number, name: string, message: string): Rejection =>
  new Rejection({ type: "json", status, body: { error: { code: status, message, status: name } } });

/**
 * `POST /v1/projects/-/serviceAccounts/{email}:generateAccessToken`; accounts whose names begin with `denied` are
 * refused (https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken).
 */
function impersonate(call: Call): Reply {
  const credential = googleTokens.credentialIn(call.headers.authorization) ?? "bad-";
  if (credential.startsWith("bad-"))
    throw apiError(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
  if (call.params["email"]?.startsWith("denied")) {
    const text = "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).";
    throw apiError(403, "PERMISSION_DENIED", text);
  }
  const { scope, lifetime } = call.body as { scope?: unknown; lifetime?: unknown };
  const [, seconds = ""] = /^(\d+)s$/.exec(String(lifetime)) ?? [];
  if (!Array.isArray(scope) || !(Number(seconds) <= 43_200))
    throw apiError(400, "INVALID_ARGUMENT", "Invalid scope or lifetime.");
  const expireTime = new Date(Date.now() + Number(seconds) * 1_000).toISOString();
  return { type: "json", status: 200, body: { accessToken: googleTokens.grant().access_token, expireTime } };
}

/** The metadata server of a Google machine (https://cloud.google.com/compute/docs/metadata/querying-metadata). */
function machineToken(call: Call): Reply {
  if (call.headers["metadata-flavor"] !== "Google")
    throw new Rejection(refused(403, "forbidden", "Missing Metadata-Flavor"));
  return { type: "json", status: 200, body: googleTokens.grant() };
}

/** Google's OAuth 2.0 server, its Security Token Service, and the credentials of its IAM. */
export const google: Provider = {
  name: "google",
  prefix: "/google",
  protocol,
  routes: [
    { method: "POST", path: "/token", operation: "token", reads: "urlencoded", handle: token },
    { method: "POST", path: "/v1/token", operation: "exchange", reads: "urlencoded", handle: exchange },
    {
      method: "POST",
      path: "/v1/projects/-/serviceAccounts/{email}:generateAccessToken",
      operation: "impersonate",
      handle: impersonate,
    },
  ],
};

/** The metadata server. */
export const googleMetadata: Provider = {
  name: "google-metadata",
  prefix: "/computeMetadata",
  protocol,
  routes: [
    {
      method: "GET",
      path: "/v1/instance/service-accounts/default/token",
      operation: "token",
      handle: machineToken,
    },
  ],
};
