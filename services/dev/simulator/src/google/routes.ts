import { uuidOf } from "../content/uuid.ts";
import { type Call, type JsonReply, type Protocol, type Provider, Rejection, type Reply } from "../http/types.ts";
import { assertionFault } from "./accounts.ts";
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

/** The metadata server of a Google machine (https://cloud.google.com/compute/docs/metadata/querying-metadata). */
function machineToken(call: Call): Reply {
  if (call.headers["metadata-flavor"] !== "Google")
    throw new Rejection(refused(403, "forbidden", "Missing Metadata-Flavor"));
  return { type: "json", status: 200, body: googleTokens.grant() };
}

/** Google's OAuth 2.0 server. */
export const google: Provider = {
  name: "google",
  prefix: "/google",
  protocol,
  routes: [{ method: "POST", path: "/token", operation: "token", reads: "urlencoded", handle: token }],
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
