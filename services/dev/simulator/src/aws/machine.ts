import { type Call, type Provider, Rejection, type Reply } from "../http/types.ts";
import { createRoleKey } from "./access-keys.ts";
import { openProtocol, plain } from "./replies.ts";

/** The key of a role in the form of both endpoints. */
function roleKey(more: object): Reply {
  const { key, expiration } = createRoleKey();
  const secrets = { SecretAccessKey: key.secret_access_key, Token: key.session_token };
  const body = { ...more, AccessKeyId: key.access_key_id, ...secrets, Expiration: expiration };
  return { type: "json", status: 200, body };
}

const role = { RoleArn: "arn:aws:iam::123456789012:role/gateway" };

/** EKS's agent requires the token of the pod; tokens that begin with `bad-` are refused. */
function podKey(call: Call): Reply {
  const token = call.headers.authorization ?? "";
  if (token !== "" && !token.startsWith("bad-")) return roleKey(role);
  const text = "(AccessDeniedException): Unauthorized Exception! EKS does not have permissions to assume the role.";
  throw new Rejection(plain(token === "" ? 400 : 403, text));
}

/**
 * The container credentials endpoints of ECS and EKS
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html).
 */
export const awsContainer: Provider = {
  name: "aws-container",
  prefix: "/aws-container",
  protocol: { ...openProtocol, provider: "aws-container" },
  routes: [
    { method: "GET", path: "/v2/credentials/{id}", operation: "credentials", handle: () => roleKey(role) },
    { method: "GET", path: "/v1/credentials", operation: "credentials", handle: podKey },
  ],
};

const instanceRole = "gateway-instance";
const sessions = new Set<string>();

/** IMDSv2: a token must be put before anything is read. */
function newSession(call: Call): Reply {
  const seconds = Number(call.headers["x-aws-ec2-metadata-token-ttl-seconds"]);
  if (!(seconds >= 1 && seconds <= 21_600)) throw new Rejection(plain(400, "Bad Request"));
  const token = call.newId("AQAEA");
  sessions.add(token);
  return plain(200, token);
}

function inSession(call: Call, reply: () => Reply): Reply {
  if (!sessions.has(String(call.headers["x-aws-ec2-metadata-token"]))) throw new Rejection(plain(401, "Unauthorized"));
  return reply();
}

function instanceKey(call: Call): Reply {
  if (call.params["role"] !== instanceRole) throw new Rejection(plain(404, "Not Found"));
  return roleKey({ Code: "Success", LastUpdated: "2026-11-29T00:00:00Z", Type: "AWS-HMAC" });
}

/** The metadata of an instance (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html). */
export const awsInstance: Provider = {
  name: "aws-instance",
  prefix: "/latest",
  protocol: { ...openProtocol, provider: "aws-instance" },
  routes: [
    { method: "PUT", path: "/api/token", operation: "token", handle: newSession },
    {
      method: "GET",
      path: "/meta-data/iam/security-credentials/",
      operation: "role",
      handle: (call) => inSession(call, () => plain(200, instanceRole)),
    },
    {
      method: "GET",
      path: "/meta-data/iam/security-credentials/{role}",
      operation: "credentials",
      handle: (call) => inSession(call, () => instanceKey(call)),
    },
  ],
};
