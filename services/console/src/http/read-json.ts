import { GatewayError } from "@uag/contract/errors/gateway-error";
import { parseJson } from "@uag/untrusted/json/parse";
import { checked } from "@uag/untrusted/schema-fault";
import type { Request } from "express";
import type { z } from "zod";
import { bodyDeadlineOf } from "./request-pools.ts";

/** Bytes of a body of the console's own API. */
const ownBodyLimit = 16 * 1024;

const tooLarge = (limit: number): GatewayError =>
  new GatewayError("payload_too_large", `The request body is longer than ${limit} bytes.`);

/** A body, counted while it is read. @throws {GatewayError} `payload_too_large` */
async function readBytes(request: Request, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of counted(request, limit)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A body in chunks as they arrive. @throws {GatewayError} `payload_too_large` */
export async function* counted(request: Request, limit: number): AsyncGenerator<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
  let length = 0;
  // The server discards the rest of a body that is too long: if the connection were closed, the
  // router would see that before the response.
  for await (const chunk of before(bodyDeadlineOf(request), request.iterator({ destroyOnReturn: false }))) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    yield chunk;
  }
}

/**
 * Chunks until a deadline, Unix milliseconds.
 * @throws {GatewayError} `request_timeout`
 */
async function* before(deadline: number | undefined, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  const late = Promise.withResolvers<never>();
  const fail = (): void => late.reject(new GatewayError("request_timeout"));
  const timer = deadline === undefined ? undefined : setTimeout(fail, deadline - Date.now());
  late.promise.catch(() => undefined);
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), late.promise]);
      if (done === true) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A JSON body; undefined when there is none.
 * @throws {GatewayError} for a body that is too long or not JSON
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const bytes = await readBytes(request, limit);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

/**
 * A request of the console's own API, validated.
 * @throws {GatewayError} `invalid_request` for the first fault
 */
export async function readChecked<S extends z.ZodType>(request: Request, schema: S): Promise<z.output<S>> {
  // A form of another site cannot send this type.
  if (request.is("application/json") === false) throw new GatewayError("unsupported_media_type");
  return checked(schema, (await readJson(request, ownBodyLimit)) ?? {});
}
