import { z } from "zod";
import { uuidOf } from "../content/uuid.ts";
import { AccessTokens } from "../http/access-tokens.ts";
import { type Call, type JsonReply, type Protocol, type Provider, Rejection, type Reply } from "../http/types.ts";

/** Granted to applications, for Azure's services. */
export const entraTokens = new AccessTokens("eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJhcGk6Ly9nYXRld2F5In0.");

/** https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
function refused(status: number, error: string, number: number, text: string): JsonReply {
  const trace = "00000000-0000-4000-8000-000000000000";
  const errorDescription = `AADSTS${number}: ${text} Trace ID: ${trace} Correlation ID: ${trace} Timestamp: ${new Date().toISOString()}`;
  const about = { error_codes: [number], timestamp: new Date().toISOString(), trace_id: trace, correlation_id: trace };
  return { type: "json", status, body: { error, error_description: errorDescription, ...about } };
}

const protocol: Protocol = {
  provider: "entra",
  open: true,
  credential: () => undefined,
  unauthorized: () => refused(401, "invalid_client", 7000215, "Invalid client secret provided."),
  notFound: () => ({ type: "json", status: 404, body: {} }),
  badJson: () => refused(400, "invalid_request", 900144, "The request body is not valid."),
  tooLarge: () => refused(413, "invalid_request", 900144, "The request body is too large."),
  error: ({ status, message }) =>
    refused(
      status,
      status >= 500 ? "temporarily_unavailable" : "invalid_request",
      90033,
      message ?? "A transient error has occurred. Please try again.",
    ),
  streamError: () => ({ data: "" }),
  newRequestId: uuidOf,
  headers: (requestId) => ({ "x-ms-request-id": requestId, "cache-control": "no-store, no-cache" }),
};

const common = {
  grant_type: z.literal("client_credentials"),
  client_id: z.string().min(1),
  scope: z.string().regex(/\/\.default$/),
};
const bySecret = z.object({ ...common, client_secret: z.string().min(1) });
const byAssertion = z.object({
  ...common,
  client_assertion_type: z.literal("urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
  client_assertion: z.string().min(1),
});

/**
 * `POST /{tenant}/oauth2/v2.0/token` with client credentials: a secret, or another issuer's assertion, which is a token
 * of three parts; those that begin with `bad-` are wrong.
 */
function token(call: Call): Reply {
  const federates = "client_assertion" in (call.body as object);
  const read = (federates ? byAssertion : bySecret).safeParse(call.body);
  if (!read.success) {
    const [field = ""] = read.error.issues[0]?.path ?? [];
    const text = `The request body must contain the following parameter: '${String(field)}'.`;
    throw new Rejection(refused(400, "invalid_request", 900144, text));
  }
  if ("client_assertion" in read.data) {
    const { client_assertion: assertion } = read.data;
    const isOne = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion);
    if (!isOne) throw new Rejection(refused(401, "invalid_client", 50027, "JWT token is invalid or malformed."));
    if (assertion.startsWith("bad-")) {
      const text = `No matching federated identity record found for presented assertion subject 'gateway'.`;
      throw new Rejection(refused(401, "invalid_client", 700213, text));
    }
  } else if (read.data.client_secret.startsWith("bad-")) {
    const text = `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${read.data.client_id}'.`;
    throw new Rejection(refused(401, "invalid_client", 7000215, text));
  }
  return { type: "json", status: 200, body: { ...entraTokens.grant(), ext_expires_in: 3599 } };
}

const noHeader = (status: number, error: string, text: string): JsonReply => ({
  type: "json",
  status,
  body: { error, error_description: text },
});

/** The metadata of a machine at Azure; numbers are texts there. Identities that begin with `bad-` are not assigned. */
function machineToken(call: Call): Reply {
  const { query, headers } = call;
  if (headers["metadata"] !== "true")
    throw new Rejection(noHeader(400, "bad_request_102", "Required metadata header not specified"));
  if (query.get("api-version") !== "2018-02-01" || !query.get("resource"))
    throw new Rejection(noHeader(400, "invalid_resource", "Required parameter is missing"));
  if (query.get("client_id")?.startsWith("bad-"))
    throw new Rejection(noHeader(400, "invalid_request", "Identity not found"));
  const { access_token, expires_in, token_type } = entraTokens.grant();
  const expiresOn = String(Math.floor(Date.now() / 1_000) + expires_in);
  const body = { access_token, expires_in: String(expires_in), expires_on: expiresOn, token_type };
  return { type: "json", status: 200, body };
}

/** The endpoint of App Service, which sends the end alone. */
function appToken(call: Call): Reply {
  const { query, headers } = call;
  if (typeof headers["x-identity-header"] !== "string" || query.get("api-version") !== "2019-08-01")
    throw new Rejection(noHeader(401, "unauthorized", "The identity header is missing."));
  const { access_token, expires_in, token_type } = entraTokens.grant();
  const expiresOn = String(Math.floor(Date.now() / 1_000) + expires_in);
  return { type: "json", status: 200, body: { access_token, expires_on: expiresOn, token_type } };
}

/** The metadata server of a machine at Azure. */
export const azureInstance: Provider = {
  name: "azure-instance",
  prefix: "/metadata",
  protocol: { ...protocol, provider: "azure-instance" },
  routes: [{ method: "GET", path: "/identity/oauth2/token", operation: "token", handle: machineToken }],
};

/** The identity endpoint of an app at App Service. */
export const azureApp: Provider = {
  name: "azure-app",
  prefix: "/msi",
  protocol: { ...protocol, provider: "azure-app" },
  routes: [{ method: "GET", path: "/token", operation: "token", handle: appToken }],
};

/** Microsoft Entra ID, which grants the tokens that Azure's services take. */
export const entra: Provider = {
  name: "entra",
  prefix: "/entra",
  protocol,
  routes: [
    { method: "POST", path: "/{tenant}/oauth2/v2.0/token", operation: "token", reads: "urlencoded", handle: token },
  ],
};
