import { createHash } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { boundedText } from "../http/bounded-text.ts";

const callTimeoutMs = 60_000;
/** Of the XML that reports an error or an upload: it has a few hundred bytes. */
export const maxReportBytes = 64 * 1024;

/** A bucket of an S3-compatible server, and the credentials for it. */
export interface S3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of every key. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * A call to the bucket, signed (AWS Signature Version 4), with the body's checksum in the
 * signature.
 */
export type S3Call = (
  method: string,
  key: string,
  options?: { query?: Record<string, string>; headers?: Record<string, string>; body?: Buffer; ok?: number[] },
) => Promise<Response>;

/**
 * Creates a function that calls the bucket. A status of 429 or 5xx is retried twice.
 * @throws {Error} for an unexpected status
 */
export function s3Call(options: S3Options): S3Call {
  const { accessKeyId, secretAccessKey, region, endpoint, bucket } = options;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: 2 });
  return async (method, key, { query = {}, headers = {}, body, ok = [200] } = {}) => {
    const url = new URL(`${endpoint.replace(/(?<!\/)\/+$/, "")}/${bucket}/${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const checksum = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const response = await client.fetch(url, {
      method,
      headers: { ...headers, "x-amz-content-sha256": checksum },
      ...(body && { body: new Uint8Array(body) }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    if (ok.includes(response.status)) return response;
    const reported = await boundedText(response.body, maxReportBytes);
    throw new Error(`S3 responded ${response.status} to ${method}: ${reported.slice(0, 300)}`);
  };
}
