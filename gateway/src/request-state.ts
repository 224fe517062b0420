import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AdminRoute, Route } from "@uag/contract/routes";
import type { SpanContext } from "@uag/runtime/tracing/traceparent";
import type { NextFunction, Request, Response } from "express";
import type { Administrator } from "./admin/administrator.ts";
import type { ResolvedKey } from "./keys/key-cache.ts";

/** The router's state of a request, filled in by the middleware. */
export interface RequestState {
  /** Ours, never the client's: the ledger is keyed by it. */
  requestId: string;
  /** Milliseconds on the clock of performance.now(). */
  startedAt: number;
  route: Route | AdminRoute | undefined;
  key: ResolvedKey | undefined;
  /** The owner of its admin token; on admin routes. */
  admin: Administrator | undefined;
  /** Pages of other origins may not read the response. */
  sameOrigin: boolean;
  /** The request's span; undefined without tracing. */
  trace: SpanContext | undefined;
  /** Why a response failed or was cut, for the log. */
  failure: string | undefined;
  /** The error response that the router itself sent. */
  refused: GatewayError | undefined;
  /** The path's methods, when the request used another. */
  allow: string | undefined;
}

export type GatewayResponse = Response<unknown, RequestState>;

export type Handler = (request: Request, response: GatewayResponse, next: NextFunction) => void | Promise<void>;
