import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeS3 extends AsyncDisposable {
  readonly url: string;
}

interface Access {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Computes Signature Version 4 independently, from AWS's documentation (Signing AWS API requests).
 */
export function signatureOf(
  request: { method: string; url: URL; headers: Record<string, string>; signed: string[]; payload: string },
  { date, region, service, secret }: { date: string; region: string; service: string; secret: string },
): string {
  const { method, url, headers, signed, payload } = request;
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const lines = signed.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}\n`);
  const canonical = [method, url.pathname, query.join("&"), lines.join(""), signed.join(";"), payload].join("\n");
  const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
  const key = [date.slice(0, 8), region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")).toString("hex");
}

/** A bucket that accepts signed calls only: objects, ranges and multipart uploads. */
export async function startFakeS3(access: Access): Promise<FakeS3> {
  const objects = new Map<string, { type: string; bytes: Buffer }>();
  const uploads = new Map<string, { type: string; parts: Map<number, Buffer> }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "", `http://${request.headers.host}`);
    if (!isSigned(request, { url, body, access })) return void response.writeHead(403).end("<Error>signature</Error>");
    const type = String(request.headers["content-type"] ?? "");
    const uploadId = url.searchParams.get("uploadId") ?? "";
    const { pathname: key } = url;
    switch (`${request.method} ${[...url.searchParams.keys()].sort().join("+")}`) {
      case "PUT ":
        objects.set(key, { type, bytes: body });
        return void response.end();
      case "POST uploads":
        uploads.set("u 1/é", { type, parts: new Map() });
        return void response.end("<X><UploadId>u 1/é</UploadId></X>");
      case "PUT partNumber+uploadId":
        uploads.get(uploadId)?.parts.set(Number(url.searchParams.get("partNumber")), body);
        return void response.writeHead(200, { etag: `"${sha256(body)}"` }).end();
      case "POST uploadId": {
        const upload = uploads.get(uploadId);
        const parts = [...(upload?.parts ?? [])].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
        const listed = parts.every((bytes) => body.includes(sha256(bytes)));
        if (upload === undefined || !listed) return void response.end("<Error><Code>InvalidPart</Code></Error>");
        objects.set(key, { type: upload.type, bytes: Buffer.concat(parts) });
        return void response.end("<CompleteMultipartUploadResult/>");
      }
      case "DELETE uploadId":
        uploads.delete(uploadId);
        return void response.writeHead(204).end();
      default:
        return sendObject(request, response, key === "/assets-test/" ? { type: "", bytes: body } : objects.get(key));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isSigned(
  request: IncomingMessage,
  { url, body, access }: { url: URL; body: Buffer; access: Access },
): boolean {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/;
  const [, keyId, region = "", names = "", signature] = pattern.exec(request.headers.authorization ?? "") ?? [];
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const payload = headers["x-amz-content-sha256"] ?? "";
  const expected = signatureOf(
    { method: request.method ?? "", url, headers, signed: names.split(";"), payload },
    { date: headers["x-amz-date"] ?? "", region, service: "s3", secret: access.secretAccessKey },
  );
  return keyId === access.accessKeyId && signature === expected && payload === sha256(body);
}

function sendObject(
  request: IncomingMessage,
  response: ServerResponse,
  object: { type: string; bytes: Buffer } | undefined,
): void {
  if (object === undefined) return void response.writeHead(404).end();
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const bytes = start === undefined ? object.bytes : object.bytes.subarray(Number(start), Number(end) + 1);
  response.writeHead(start === undefined ? 200 : 206, { "content-type": object.type, "content-length": bytes.length });
  response.end(request.method === "HEAD" ? undefined : bytes);
}
