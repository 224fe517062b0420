import { accessKeyOf } from "../aws/access-keys.ts";
import { authorizationFault, authorizationIn } from "../aws/signature.ts";
import { uuidOf } from "../content/uuid.ts";
import { type JsonReply, type Problem, type Protocol, Rejection, type SignedRequest } from "../http/types.ts";

/** https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
const typeByStatus: Readonly<Record<number, string>> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};
const textByType: Readonly<Record<string, string>> = {
  AccessDeniedException: "You don't have access to the model with the specified model ID.",
  ModelErrorException: "The model returned an error while it processed the request.",
  ModelTimeoutException: "Model has timed out in processing the request. Try your request again.",
  ResourceNotFoundException: "The resource was not found. Verify the Amazon Resource Name and try again.",
  ServiceQuotaExceededException: "Your request exceeds the service quota for your account.",
  ServiceUnavailableException: "Bedrock is unable to process your request.",
  ThrottlingException: "Too many requests, please wait before trying again.",
  UnrecognizedClientException: "The security token included in the request is invalid.",
};

const typeOf = ({ status, quota }: Problem): string =>
  quota ? "ServiceQuotaExceededException" : (typeByStatus[status] ?? typeByStatus[status < 500 ? 400 : 500] ?? "");
const textOf = (type: string): string => textByType[type] ?? "The request could not be processed.";

function json(status: number, type: string, message = textOf(type)): JsonReply {
  return { type: "json", status, body: { message }, headers: { "x-amzn-errortype": `${type}:http://internal/` } };
}

/** Rejects a request as Amazon Bedrock does. */
export const rejectBedrock = (message: string, status = 400): Rejection =>
  new Rejection(json(status, typeOf({ status }), message));

const wrongKey = "Authentication failed: Please make sure your API Key is valid.";

/** A refused signature, so that the credential is rejected with its reason. */
const refusedBy = (type: string, message: string): string => `bad-${type}: ${message}`;

/** The id of the access key that has signed a request, or an API key. */
function credentialIn(request: SignedRequest): string | undefined {
  const { authorization: header } = request.headers;
  const key = /^bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (key !== undefined || header === undefined) return key;
  const authorization = authorizationIn(header);
  if (authorization === undefined) return refusedBy("IncompleteSignatureException", "Authorization header is invalid.");
  const known = accessKeyOf(authorization.accessKeyId);
  const fault = authorizationFault(request, authorization, { key: known, service: "bedrock", now: Date.now() });
  return fault === undefined ? authorization.accessKeyId : refusedBy(...fault);
}

function unauthorized(credential: string | undefined): JsonReply {
  if (credential === undefined) return json(403, "MissingAuthenticationTokenException", "Missing Authentication Token");
  const [, type, message] = /^bad-(\w+Exception): (.+)$/.exec(credential) ?? [];
  if (type === undefined) return json(403, "AccessDeniedException", wrongKey);
  return json(type === "IncompleteSignatureException" ? 400 : 403, type, message);
}

/** Amazon Bedrock's API for calls. */
export const bedrockProtocol: Protocol = {
  provider: "bedrock",
  framing: "aws",
  credential: (_headers, _query, request) => credentialIn(request),
  unauthorized,
  notFound: () => json(404, "UnknownOperationException", ""),
  badJson: () => json(400, "ValidationException", "Malformed input request, please reformat your input and try again."),
  tooLarge: () => json(413, "ValidationException", "Input is too long for requested model."),
  error: (problem) => json(problem.status, typeOf(problem), problem.message),
  streamError(problem) {
    const type = typeOf(problem);
    const exception = type.charAt(0).toLowerCase() + type.slice(1);
    return { exception, data: JSON.stringify({ message: problem.message ?? textOf(type) }) };
  },
  newRequestId: uuidOf,
  headers: (requestId, tookMs) => ({
    "x-amzn-requestid": requestId,
    "x-amzn-bedrock-invocation-latency": String(tookMs),
  }),
};
