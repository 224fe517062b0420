import { boundedText } from "../http/bounded-text.ts";
import { maxReportBytes, type S3Call } from "./s3-call.ts";

/** Begins a multipart upload (S3 API, CreateMultipartUpload); returns its upload id. */
export async function startUpload(call: S3Call, key: string, headers: Record<string, string>): Promise<string> {
  const response = await call("POST", key, { query: { uploads: "" }, headers });
  const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(await boundedText(response.body, maxReportBytes)) ?? [];
  if (uploadId === undefined) throw new Error("S3 returned no upload id");
  return uploadId;
}

/** @param upload the parts' entity tags, in order */
export async function finishUpload(
  call: S3Call,
  key: string,
  { uploadId, tags }: { uploadId: string; tags: readonly string[] },
): Promise<void> {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  const response = await call("POST", key, { query: { uploadId }, headers: { "content-type": "text/xml" }, body });
  // S3 may find that it cannot assemble the parts after it has sent its 200.
  const reported = await boundedText(response.body, maxReportBytes);
  if (reported.includes("<Error>")) throw new Error(`S3 failed to complete an upload: ${reported.slice(0, 300)}`);
}

/** Releases the parts' space; a failure to do so is left to the bucket's lifecycle rule. */
export async function abortUpload(call: S3Call, key: string, uploadId: string): Promise<void> {
  await call("DELETE", key, { query: { uploadId }, ok: [204, 404] }).catch(() => undefined);
}
