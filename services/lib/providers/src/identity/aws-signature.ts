import { createHash } from "node:crypto";
import type { Identity } from "@uag/catalog/identity";
import { AwsV4Signer } from "aws4fetch";
import type { HttpRequest } from "../http/call.ts";

type AwsIdentity = Extract<Identity, { type: "aws" }>;
type Signable = Pick<HttpRequest, "origin" | "path" | "method" | "headers" | "body">;

/**
 * A request of Amazon Bedrock with its signature, by AWS's Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). Of the
 * headers only the host and AWS's own are signed: a proxy may change the others.
 * @param now the time of the signature, which is valid for 5 minutes
 */
export async function signed<Request extends Signable>(
  request: Request,
  identity: AwsIdentity,
  now = new Date(),
): Promise<Request> {
  const { origin, path, method } = request;
  const { headers } = await new AwsV4Signer({
    url: origin + path,
    method,
    headers: { "x-amz-content-sha256": digestOf(request.body) },
    accessKeyId: identity.access_key_id,
    secretAccessKey: identity.secret_access_key,
    ...(identity.session_token !== undefined && { sessionToken: identity.session_token }),
    region: identity.region,
    service: "bedrock",
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ""),
  }).sign();
  return { ...request, headers: [...request.headers, ...[...headers].flat()] };
}

function digestOf(body: Signable["body"]): string {
  const hash = createHash("sha256");
  for (const piece of Buffer.isBuffer(body) ? [body] : ((body ?? []) as readonly Buffer[])) hash.update(piece);
  return hash.digest("hex");
}
