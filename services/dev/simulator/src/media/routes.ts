import { uuidOf } from "../content/uuid.ts";
import type { BytesReply, Call, Protocol, Provider, Reply } from "../http/types.ts";
import { mediaFile } from "./file.ts";
import { signatureOf, specOf } from "./url.ts";

function problem(status: number, code: string, message: string): BytesReply {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>\n  <Code>${code}</Code>\n  <Message>${message}</Message>\n</Error>\n`;
  return { type: "bytes", status, contentType: "application/xml", bytes: Buffer.from(text) };
}

function refusalOf({ query, path }: Call): Reply | undefined {
  const expires = query.get("Expires") ?? "";
  const expected = signatureOf(path, expires, query.get("slow") ?? "", query.get("mib") ?? "");
  if (query.get("Signature") !== expected)
    return problem(403, "SignatureDoesNotMatch", "The signature does not match.");
  return Number(expires) * 1000 < Date.now() ? problem(403, "AccessDenied", "Request has expired.") : undefined;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

// One byte range, inclusive; several ranges get the whole file, as RFC 9110 allows.
function rangeOf(header: string | undefined, length: number): Span | "impossible" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (match === null || (match[1] === "" && match[2] === "")) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") return Number(last) > 0 ? { from: Math.max(0, length - Number(last)), to: length } : "impossible";
  const to = last === "" ? length : Math.min(length, Number(last) + 1);
  return Number(first) < to ? { from: Number(first), to } : "impossible";
}

async function serveFile(call: Call): Promise<Reply> {
  const [, , kind = "", name = ""] = call.path.split("/");
  const spec = specOf(kind, name);
  if (spec === undefined) return problem(404, "NoSuchKey", "The specified key does not exist.");
  const refusal = refusalOf(call);
  if (refusal !== undefined) return refusal;
  const { query, headers } = call;
  const { contentType, bytes } = await mediaFile(spec, query.has("mib") ? Number(query.get("mib")) : undefined);
  const slow = query.has("slow") ? Number(query.get("slow")) : undefined;
  const span = rangeOf(headers.range, bytes.length);
  const common = { type: "bytes", contentType, slow } as const;
  const always = { "accept-ranges": "bytes" };
  if (span === "impossible") {
    const size = { ...always, "content-range": `bytes */${bytes.length}` };
    return { ...problem(416, "InvalidRange", "The requested range cannot be satisfied."), headers: size };
  }
  if (span === undefined) return { ...common, status: 200, bytes, headers: always };
  const reported = { ...always, "content-range": `bytes ${span.from}-${span.to - 1}/${bytes.length}` };
  return { ...common, status: 206, bytes: bytes.subarray(span.from, span.to), headers: reported };
}

const protocol: Protocol = {
  provider: "media",
  open: true,
  credential: (headers) => headers.authorization,
  unauthorized: () => problem(403, "InvalidAccessKeyId", "The access key does not exist."),
  notFound: () => problem(404, "NoSuchKey", "The specified key does not exist."),
  badJson: () => problem(400, "InvalidArgument", "The request is invalid."),
  tooLarge: () => problem(400, "EntityTooLarge", "The request is too large."),
  error: ({ status, message = "The request failed." }) => ({ type: "json", status, body: { message } }),
  streamError: ({ message = "The request failed." }) => ({ data: JSON.stringify({ message }) }),
  newRequestId: uuidOf,
  headers: (requestId) => ({ "x-oss-request-id": requestId }),
};

function fileRoute(kind: string): Provider["routes"][number] {
  return { method: "GET", path: `/${kind}/{name}`, operation: `media.${kind}`, streams: false, handle: serveFile };
}

/** Serves the files that responses refer to by URL, like an object store. */
export const media: Provider = {
  name: "media",
  prefix: "/media",
  protocol,
  routes: [fileRoute("image"), fileRoute("video"), fileRoute("speech")],
};
