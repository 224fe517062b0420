import { accessKeyOf } from "../aws/access-keys.ts";
import { authorizationFault, authorizationIn } from "../aws/signature.ts";

const jwtType = "urn:ietf:params:oauth:token-type:jwt";
const awsType = "urn:ietf:params:aws:token-type:aws4_request";

/** Why another cloud's token is refused; undefined for one that is accepted. Those that begin with `bad-` are wrong. */
export function subjectFault(fields: Readonly<Record<string, string>>): string | undefined {
  const { audience = "", subject_token: token = "", subject_token_type: type } = fields;
  if (!audience.startsWith("//iam.googleapis.com/")) return "The audience is not a workload identity pool's provider.";
  if (type === awsType) return awsFault(token, audience);
  if (type !== jwtType) return "The subject token type is not supported.";
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return "Unable to parse the ID Token.";
  return token.startsWith("bad-") ? "The credential is rejected by the attribute condition." : undefined;
}

interface CallerRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

function parsed(token: string): CallerRequest | undefined {
  try {
    return JSON.parse(decodeURIComponent(token));
  } catch {
    return undefined;
  }
}

/** Verifies a signed request of `GetCallerIdentity`, which Google would send to AWS. */
function awsFault(token: string, audience: string): string | undefined {
  const request = parsed(token);
  const url = URL.parse(request?.url ?? "");
  if (request === undefined || url === null) return "Unable to parse the AWS caller identity request.";
  if (url.searchParams.get("Action") !== "GetCallerIdentity" || !/^sts\.[\w-]+\.amazonaws\.com$/.test(url.host))
    return "The request is not one of GetCallerIdentity at AWS STS.";
  const headers = Object.fromEntries(request.headers.map(({ key, value }) => [key.toLowerCase(), value]));
  const authorization = authorizationIn(headers["authorization"]);
  const target = "x-goog-cloud-target-resource";
  if (headers[target] !== audience || authorization?.signedHeaders.includes(target) !== true)
    return `The header ${target} must be signed and name the audience.`;
  const { method } = request;
  const signed = { method, path: url.pathname, query: url.searchParams, headers, bytes: Buffer.alloc(0) };
  const key = accessKeyOf(authorization.accessKeyId);
  return authorizationFault(signed, authorization, { key, service: "sts", now: Date.now() })?.[1];
}
