import type { ServerReadableStream, sendUnaryData } from "@grpc/grpc-js";
import { GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error";
import {
  type AssetServiceServer,
  AssetServiceService,
  type PutRequest,
  type PutResponse,
} from "@uag/proto/media/v1/assets.ts";
import type { Logger } from "@uag/runtime/log";
import type { RpcService } from "@uag/runtime/rpc/server";
import { toStatus } from "@uag/runtime/rpc/status";
import { logServerError } from "@uag/runtime/server-error";
import type { Assets } from "./assets.ts";

const mediaTypeShape = /^(?:image|audio|video)\/[a-z0-9.+-]{1,60}$/;

export interface PutOptions {
  readonly assets: Assets;
  /** Largest file, bytes. */
  readonly maxBytes: number;
  readonly log: Logger;
}

/** `AssetService`: hosts files of other services. */
export function assetRpc(options: PutOptions): RpcService {
  const put = (call: ServerReadableStream<PutRequest, PutResponse>, callback: sendUnaryData<PutResponse>): void => {
    take(options, call).then(
      (response) => callback(null, response),
      (error: unknown) => {
        const known = toGatewayError(error);
        logServerError(options.log, known, { requestId: undefined, method: "put", err: known.cause ?? known });
        callback(toStatus(known));
      },
    );
  };
  const implementation: Pick<AssetServiceServer, "put"> = { put };
  return { definition: AssetServiceService, implementation: { ...implementation } };
}

async function take(
  { assets, maxBytes }: PutOptions,
  call: ServerReadableStream<PutRequest, PutResponse>,
): Promise<PutResponse> {
  const messages: AsyncIterator<PutRequest> = call[Symbol.asyncIterator]();
  const first = await messages.next();
  const part = first.done === true ? undefined : first.value.part;
  if (part?.$case !== "head") throw new GatewayError("invalid_request", "The first message must be the head.");
  const { contentType } = part.value;
  if (!mediaTypeShape.test(contentType)) {
    throw new GatewayError("invalid_request", "Only images, audio and video are hosted.", { param: "content_type" });
  }
  const { url, size, expiresAtMs } = await assets.host(contentType, chunks(messages, call, maxBytes));
  return { url, size: BigInt(size), expiresAtMs: BigInt(expiresAtMs) };
}

async function* chunks(
  messages: AsyncIterator<PutRequest>,
  call: ServerReadableStream<PutRequest, PutResponse>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  for (;;) {
    const next = await messages.next();
    if (call.cancelled) throw new GatewayError("client_closed_request");
    if (next.done === true) return;
    const { part } = next.value;
    if (part?.$case !== "chunk")
      throw new GatewayError("invalid_request", "Every message after the head must be a chunk.");
    size += part.value.length;
    if (size > maxBytes) throw new GatewayError("payload_too_large", `The file exceeds ${maxBytes} bytes.`);
    yield part.value;
  }
}
