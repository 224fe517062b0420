import { uuidOf } from "../content/uuid.ts";
import { entraTokens } from "../entra/routes.ts";
import { type JsonReply, type Problem, type Protocol, Rejection } from "../http/types.ts";

interface ErrorBody {
  readonly error: { readonly code: string | null; readonly message: string } & Readonly<Record<string, unknown>>;
}

const json = (status: number, body: ErrorBody): JsonReply => ({ type: "json", status, body });
const bodyOf = (code: string | null, message: string, more: object = {}): ErrorBody => ({
  error: { code, message, ...more },
});

/** Rejects a request as Azure OpenAI does. */
export const rejectAzure = (status: number, code: string, message: string, more: object = {}): Rejection =>
  new Rejection(json(status, bodyOf(code, message, more)));

const wrongKey =
  "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.";
const noDeployment =
  "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.";

function bodyFor({ status, quota, message, retrySeconds = 6 }: Problem): ErrorBody {
  if (status === 401) return bodyOf("401", wrongKey);
  if (status === 403) return bodyOf("403", "Access denied due to Virtual Network/Firewall rules.");
  if (status === 404) return bodyOf("DeploymentNotFound", noDeployment);
  if (status === 429) {
    return quota
      ? bodyOf("insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")
      : bodyOf(
          "429",
          `Requests have exceeded call rate limit of your current pricing tier. Please retry after ${retrySeconds} seconds.`,
        );
  }
  if (status >= 500)
    return bodyOf(
      "InternalServerError",
      message ?? "Backend returned unexpected response. Please contact Microsoft for help.",
    );
  return bodyOf("BadRequest", message ?? "The request was rejected.");
}

export const missingDeployment = (): Rejection => rejectAzure(404, "DeploymentNotFound", noDeployment);

/** Azure OpenAI: an API key in its own header, or a token of Microsoft Entra ID. */
export const azureProtocol: Protocol = {
  provider: "azure",
  credential(headers) {
    const key = headers["api-key"];
    return typeof key === "string" ? key : entraTokens.credentialIn(headers.authorization);
  },
  unauthorized: () => json(401, bodyOf("401", wrongKey)),
  notFound: () => json(404, bodyOf("404", "Resource not found")),
  badJson: () => json(400, bodyOf("BadRequest", "The request body is not valid JSON.")),
  tooLarge: () => json(413, bodyOf("413", "The request body is too large.")),
  error: (problem) => json(problem.status, bodyFor(problem)),
  streamError: (problem) => ({ data: JSON.stringify(bodyFor(problem)) }),
  newRequestId: uuidOf,
  rateHeaders: ({ limit, remaining }) => ({
    "x-ratelimit-limit-requests": String(limit),
    "x-ratelimit-remaining-requests": String(remaining),
  }),
  headers: (requestId) => ({
    "apim-request-id": requestId,
    "x-request-id": requestId,
    "x-ms-region": "East US",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-remaining-tokens": "29999000",
  }),
};
