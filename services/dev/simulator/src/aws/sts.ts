import { z } from "zod";
import { type Call, type Protocol, type Provider, Rejection, type Reply, type SignedRequest } from "../http/types.ts";
import { accessKeyOf, createRoleKey } from "./access-keys.ts";
import { openProtocol, plain } from "./replies.ts";
import { authorizationFault, authorizationIn } from "./signature.ts";

const space = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"';
const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/'/g, "&apos;");

function failed(status: number, code: string, message: string): Reply {
  const error = `<Error>\n    <Type>Sender</Type>\n    <Code>${code}</Code>\n    <Message>${escaped(message)}</Message>\n  </Error>`;
  return plain(status, `<ErrorResponse ${space}>\n  ${error}\n</ErrorResponse>`, "text/xml");
}

const rejected = (status: number, code: string, message: string): Rejection =>
  new Rejection(failed(status, code, message));

/** What Bedrock calls by other names. */
const codes: Readonly<Record<string, string>> = {
  UnrecognizedClientException: "InvalidClientTokenId",
  InvalidSignatureException: "SignatureDoesNotMatch",
  ExpiredTokenException: "ExpiredToken",
  IncompleteSignatureException: "IncompleteSignature",
};

/** A refused signature, so that the credential is rejected with its reason; undefined for an unsigned request. */
function credentialIn(request: SignedRequest): string | undefined {
  const authorization = authorizationIn(request.headers.authorization);
  if (authorization === undefined) return undefined;
  const key = accessKeyOf(authorization.accessKeyId);
  const fault = authorizationFault(request, authorization, { key, service: "sts", now: Date.now() });
  if (fault === undefined) return authorization.accessKeyId;
  return `bad-${codes[fault[0]]}: ${fault[1]}`;
}

function unauthorized(credential = ""): Reply {
  const [, code = "", message = ""] = /^bad-(\w+): (.+)$/.exec(credential) ?? [];
  return failed(403, code, message);
}

const protocol: Protocol = {
  ...openProtocol,
  provider: "aws-sts",
  credential: (_headers, _query, request) => credentialIn(request),
  unauthorized,
};

const common = { Version: z.literal("2011-06-15"), RoleArn: z.string().min(20), RoleSessionName: z.string().min(2) };
const actions = z.discriminatedUnion("Action", [
  z.strictObject({ Action: z.literal("AssumeRole"), ...common, ExternalId: z.string().optional() }),
  z.strictObject({ Action: z.literal("AssumeRoleWithWebIdentity"), ...common, WebIdentityToken: z.string().min(4) }),
]);
type Action = z.infer<typeof actions>;

/** Why a role is not assumed: its name contains `denied`, or it requires the external id after `external-`. */
function roleFault(action: Action, who: string): string | undefined {
  const { RoleArn: role, Action: name } = action;
  const [, required] = /role\/external-([\w-]+)$/.exec(role) ?? [];
  const external = action.Action === "AssumeRole" ? action.ExternalId : undefined;
  if (!role.includes("denied") && required === external) return undefined;
  if (name === "AssumeRoleWithWebIdentity") return `Not authorized to perform sts:${name}`;
  return `User: ${who} is not authorized to perform: sts:${name} on resource: ${role}`;
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
function act(call: Call): Reply {
  const read = actions.safeParse(call.body);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw rejected(400, "ValidationError", `${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { data: action } = read;
  if (action.Action === "AssumeRole") checkSigned(call.credential);
  else if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(action.WebIdentityToken))
    throw rejected(400, "InvalidIdentityToken", "The ID Token provided is not a valid JWT.");
  const fault = roleFault(action, "arn:aws:iam::123456789012:user/gateway");
  if (fault !== undefined) throw rejected(403, "AccessDenied", fault);
  return plain(200, keyIn(action.Action, action.RoleArn), "text/xml");
}

function checkSigned(credential: string): void {
  if (credential === "") throw rejected(403, "MissingAuthenticationToken", "Request is missing Authentication Token");
}

function keyIn(action: Action["Action"], role: string): string {
  const { key, expiration } = createRoleKey();
  const user = `<AssumedRoleUser><Arn>${escaped(role)}</Arn></AssumedRoleUser>`;
  const parts = [
    ["AccessKeyId", key.access_key_id],
    ["SecretAccessKey", key.secret_access_key],
    ["SessionToken", key.session_token],
    ["Expiration", expiration],
  ].map(([name, value]) => `      <${name}>${value}</${name}>`);
  return `<${action}Response ${space}>
  <${action}Result>
    ${user}
    <Credentials>
${parts.join("\n")}
    </Credentials>
  </${action}Result>
</${action}Response>
`;
}

/** AWS's Security Token Service, which assumes roles. */
export const awsSts: Provider = {
  name: "aws-sts",
  prefix: "/aws-sts",
  protocol,
  routes: [{ method: "POST", path: "/", operation: "assumeRole", reads: "urlencoded", handle: act }],
};
