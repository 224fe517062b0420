import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ErrorCode } from "@uag/contract/errors/table";
import type { Response } from "express";
import { ApiError } from "../gateway/api-error.ts";

/**
 * Part of every 401. It names no authorization server: a key is all there is, and clients must not
 * try OAuth.
 */
const challenge = 'Bearer realm="gateway", error="invalid_token"';

/** JSON-RPC 2.0, section 5.1; the last is the server's own. */
const rpcCodes: Partial<Record<ErrorCode, number>> = { invalid_json: -32_700, invalid_request: -32_600 };
const serverError = -32_000;

/** An invalid message is a 400 in this protocol. */
const statuses: Partial<Record<ErrorCode, number>> = { invalid_json: 400 };

/**
 * Responds to a request that never reaches a tool: an HTTP status, and a JSON-RPC error with the
 * gateway's code in its data.
 */
export function refuse(response: Response, error: GatewayError | ApiError): void {
  const { status, rpcCode, retryAfter } = termsOf(error);
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  if (status === 401) response.setHeader("www-authenticate", challenge);
  const data = { code: error.code, type: error.type };
  response.status(status).json({ jsonrpc: "2.0", id: null, error: { code: rpcCode, message: error.message, data } });
}

interface Terms {
  readonly status: number;
  readonly rpcCode: number;
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

function termsOf(error: GatewayError | ApiError): Terms {
  if (error instanceof ApiError)
    return { status: error.status, rpcCode: serverError, retryAfter: error.retryAfterSeconds };
  const { code, httpStatus, retryAfterMs } = error;
  return {
    status: statuses[code] ?? httpStatus,
    rpcCode: rpcCodes[code] ?? serverError,
    retryAfter: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000),
  };
}
