import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import type { HttpRequest } from "../http/call.ts";

/** An access key; a temporary one has a session token. */
export interface AwsKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | undefined;
}

/** What a request is signed with, and for. */
export interface Signing {
  readonly key: AwsKey;
  readonly region: string;
  readonly service: "bedrock" | "sts";
}

/** The key as the signer takes it. */
export const signerKey = ({
  access_key_id: accessKeyId,
  secret_access_key: secretAccessKey,
  session_token,
}: AwsKey) => ({
  accessKeyId,
  secretAccessKey,
  ...(session_token !== undefined && { sessionToken: session_token }),
});

type Signable = Pick<HttpRequest, "origin" | "path" | "method" | "headers" | "body">;

/**
 * A request of AWS with its signature, by Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). Of the
 * headers only the host and AWS's own are signed: a proxy may change the others.
 * @param now the time of the signature, which is valid for 5 minutes
 */
export async function signed<Request extends Signable>(
  request: Request,
  { key, region, service }: Signing,
  now = new Date(),
): Promise<Request> {
  const { origin, path, method } = request;
  const { headers } = await new AwsV4Signer({
    url: origin + path,
    method,
    headers: { "x-amz-content-sha256": digestOf(request.body) },
    ...signerKey(key),
    region,
    service,
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ""),
  }).sign();
  return { ...request, headers: [...request.headers, ...[...headers].flat()] };
}

function digestOf(body: Signable["body"]): string {
  const hash = createHash("sha256");
  for (const piece of Buffer.isBuffer(body) ? [body] : ((body ?? []) as readonly Buffer[])) hash.update(piece);
  return hash.digest("hex");
}
