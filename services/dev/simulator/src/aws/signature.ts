import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { SignedRequest } from "../http/types.ts";
import { type AccessKey, isExpired } from "./access-keys.ts";

const algorithm = "AWS4-HMAC-SHA256";
const maxSkewMs = 5 * 60_000;

/** The parts of an authorization header of Signature Version 4. */
interface Authorization {
  readonly accessKeyId: string;
  /** Day, region, service and `aws4_request`. */
  readonly scope: readonly string[];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** The header's parts; undefined if it is not one of this version. */
export function authorizationIn(header: string | undefined): Authorization | undefined {
  const match = /^AWS4-HMAC-SHA256 +Credential=([^/, ]+)\/([^, ]+), *SignedHeaders=([^, ]+), *Signature=(\w+)$/.exec(
    header ?? "",
  );
  if (match === null) return undefined;
  const [, accessKeyId = "", scope = "", signedHeaders = "", signature = ""] = match;
  return { accessKeyId, scope: scope.split("/"), signedHeaders: signedHeaders.split(";"), signature };
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** All characters but the unreserved ones of RFC 3986 are escaped. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Of all services but S3, the path is escaped once more than it is sent. */
const canonicalPath = (path: string): string => path.split("/").map(escaped).join("/");

function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  return pairs.sort().join("&");
}

const headerOf = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(",") : (value ?? "")).trim().replace(/ +/g, " ");
};

/**
 * The signature that a request should have
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
export function signatureOf(request: SignedRequest, { scope, signedHeaders }: Authorization, secret: string): string {
  const { method, path, query, headers, bytes } = request;
  const canonical = [
    method,
    canonicalPath(path),
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${headerOf(headers, name)}`),
    "",
    signedHeaders.join(";"),
    sha256(bytes),
  ].join("\n");
  const text = [algorithm, headerOf(headers, "x-amz-date"), scope.join("/"), sha256(canonical)].join("\n");
  const [day = "", region = "", service = "", end = ""] = scope;
  const key = [region, service, end].reduce((made, part) => hmac(made, part), hmac(`AWS4${secret}`, day));
  return hmac(key, text).toString("hex");
}

/** `20150830T123600Z` in milliseconds; NaN if it is not a time. */
function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

function areEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Type and message of the error of a request that is refused. */
export type AuthorizationFault = readonly [type: string, message: string];

const invalidToken: AuthorizationFault = [
  "UnrecognizedClientException",
  "The security token included in the request is invalid.",
];

/** Why a signed request is refused; undefined for a valid one. */
export function authorizationFault(
  request: SignedRequest,
  authorization: Authorization,
  { key, service, now }: { key: AccessKey | undefined; service: string; now: number },
): AuthorizationFault | undefined {
  const { headers, bytes } = request;
  const { scope, signedHeaders, signature } = authorization;
  const token = headers["x-amz-security-token"];
  if (key === undefined || token !== key.session_token) return invalidToken;
  if (isExpired(key.access_key_id))
    return ["ExpiredTokenException", "The security token included in the request is expired"];
  const sent = headerOf(headers, "x-amz-date");
  const isSigned = Object.keys(headers).every((name) => !name.startsWith("x-amz-") || signedHeaders.includes(name));
  if (!isSigned || !signedHeaders.includes("host") || !sent.startsWith(scope[0] ?? ""))
    return ["IncompleteSignatureException", "Authorization header requires the host and all x-amz-* headers."];
  if (scope[2] !== service || scope[3] !== "aws4_request")
    return ["InvalidSignatureException", "Credential should be scoped to a valid region and the correct service."];
  if (!(Math.abs(timeOf(sent) - now) <= maxSkewMs))
    return ["InvalidSignatureException", `Signature not yet current or expired: ${sent} is not within 5 min.`];
  const digest = headers["x-amz-content-sha256"];
  if (digest !== undefined && digest !== sha256(bytes))
    return ["InvalidSignatureException", "The value of x-amz-content-sha256 is not the digest of the body."];
  if (!areEqual(signature, signatureOf(request, authorization, key.secret_access_key)))
    return [
      "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
    ];
  return undefined;
}
