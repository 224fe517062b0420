import { z } from "zod";
import { uuidOf } from "../content/uuid.ts";
import { AccessTokens } from "../http/access-tokens.ts";
import { type Call, type JsonReply, type Protocol, type Provider, Rejection, type Reply } from "../http/types.ts";

/** Granted to applications, for Azure's services. */
export const entraTokens = new AccessTokens("eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.");

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

const schema = z.object({
  grant_type: z.literal("client_credentials"),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  scope: z.string().regex(/\/\.default$/),
});

/** `POST /{tenant}/oauth2/v2.0/token` with client credentials; secrets that begin with `bad-` are wrong. */
function token(call: Call): Reply {
  const read = schema.safeParse(call.body);
  if (!read.success) {
    const [field = ""] = read.error.issues[0]?.path ?? [];
    const text = `The request body must contain the following parameter: '${String(field)}'.`;
    throw new Rejection(refused(400, "invalid_request", 900144, text));
  }
  if (read.data.client_secret.startsWith("bad-")) {
    const text = `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${read.data.client_id}'.`;
    throw new Rejection(refused(401, "invalid_client", 7000215, text));
  }
  return { type: "json", status: 200, body: { ...entraTokens.grant(), ext_expires_in: 3599 } };
}

/** Microsoft Entra ID, which grants the tokens that Azure's services take. */
export const entra: Provider = {
  name: "entra",
  prefix: "/entra",
  protocol,
  routes: [
    { method: "POST", path: "/{tenant}/oauth2/v2.0/token", operation: "token", reads: "urlencoded", handle: token },
  ],
};
