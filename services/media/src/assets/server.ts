import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { errorText } from "@uag/contract/errors/shapes";
import { type MountedServer, startMountedServer } from "@uag/runtime/http/mounted-server";
import type { Logger } from "@uag/runtime/log";
import type { ObjectStore, StoredObject } from "@uag/runtime/objects/store";
import { logServerError } from "@uag/runtime/server-error";
import { extensionOf } from "./assets.ts";
import { rangeOf } from "./range.ts";
import type { AssetTokens } from "./token.ts";

export interface AssetServerOptions {
  readonly host: string;
  readonly port: number;
  readonly store: ObjectStore;
  readonly tokens: AssetTokens;
  readonly log: Logger;
  /** How long new requests are still taken once it is to stop, milliseconds. */
  readonly lingerMs: number;
}

const drainMs = 5_000;
const path = /^\/assets\/([A-Za-z0-9_-]+)(?:\.[a-z0-9]{2,5})?(?:\?.*)?$/;

/** Serves hosted files by their signed URLs: `GET` and `HEAD`, including ranges. */
export async function startAssetServer(options: AssetServerOptions): Promise<MountedServer> {
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    serve(options, request, response).catch((error: unknown) => {
      const refusal = new GatewayError("service_unavailable", undefined, { cause: error });
      logServerError(options.log, refusal, { requestId: String(request.headers["x-request-id"] ?? "") });
      if (response.headersSent) response.destroy();
      else refuse(request, response, refusal);
    });
  };
  const { host, port, lingerMs } = options;
  return await startMountedServer(listener, { host, port, lingerMs, drainMs });
}

async function serve(
  { store, tokens }: AssetServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    refuse(request, response, new GatewayError("method_not_allowed"));
    return;
  }
  // A URL that was never issued and one whose file is gone get the same response.
  const opened = tokens.open(path.exec(request.url ?? "")?.[1] ?? "");
  if (opened === undefined) return refuse(request, response, new GatewayError("not_found"));
  const remainingMs = opened.expiresAtMs - Date.now();
  if (remainingMs <= 0) return refuse(request, response, new GatewayError("not_found", "This URL has expired."), 410);
  const asset = await store.find(opened.id);
  if (asset === undefined) return refuse(request, response, new GatewayError("not_found"));
  await send(request, response, { asset, etag: `"${opened.id}"`, remainingMs });
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { asset, etag, remainingMs }: { asset: StoredObject; etag: string; remainingMs: number },
): Promise<void> {
  const { headers } = request;
  response.setHeaders(commonHeaders(asset, etag, remainingMs));
  if (headers["if-none-match"]?.includes(etag)) {
    response.writeHead(304).end();
    return;
  }
  const mayBePart = headers["if-range"] === undefined || headers["if-range"] === etag;
  const range = mayBePart ? rangeOf(headers.range, asset.size) : undefined;
  if (range === "unsatisfiable") {
    response.writeHead(416, { "content-range": `bytes */${asset.size}`, "content-length": 0 }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: asset.size - 1 };
  const part = range && { "content-range": `bytes ${start}-${end}/${asset.size}` };
  response.writeHead(range === undefined ? 200 : 206, { "content-length": end - start + 1, ...part });
  if (request.method === "HEAD" || asset.size === 0) {
    response.end();
    return;
  }
  await pipeline(await asset.read({ start, end }), response).catch((error: unknown) => {
    // A client that disconnects midway is not an error.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
}

function commonHeaders(asset: StoredObject, etag: string, remainingMs: number): Map<string, string> {
  const name = `asset${extensionOf(asset.contentType)}`;
  return new Map([
    ["content-type", asset.contentType],
    ["content-disposition", `inline; filename="${name}"`],
    ["x-content-type-options", "nosniff"],
    ["content-security-policy", "default-src 'none'; sandbox"],
    ["cross-origin-resource-policy", "cross-origin"],
    ["access-control-allow-origin", "*"],
    ["accept-ranges", "bytes"],
    ["etag", etag],
    ["cache-control", `private, max-age=${Math.floor(remainingMs / 1000)}, immutable`],
  ]);
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: GatewayError,
  status = error.httpStatus,
): void {
  const body = Buffer.from(errorText("nested", { error, requestId: "" }));
  const headers = { "content-type": "application/json", "content-length": body.length, "cache-control": "no-store" };
  response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : body);
}
