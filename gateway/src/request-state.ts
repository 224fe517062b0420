import type { AdminRoute, Route } from "@uag/contract/routes.ts";
import type { SpanContext } from "@uag/kit/tracing/traceparent.ts";
import type { NextFunction, Request, Response } from "express";
import type { Administrator } from "./admin/administrator.ts";
import type { ResolvedKey } from "./keys/key-cache.ts";

/** What the router knows of a request; it grows on the way through the middleware. */
export interface RequestState {
  /** Ours, never the client's: the ledger is keyed by it. */
  requestId: string;
  /** Milliseconds on the clock of performance.now(). */
  startedAt: number;
  route: Route | AdminRoute | undefined;
  key: ResolvedKey | undefined;
  /** Whose admin token it carries; on admin routes. */
  admin: Administrator | undefined;
  /** Pages of other origins may not read the answer. */
  sameOrigin: boolean;
  /** The request's span; undefined without tracing. */
  trace: SpanContext | undefined;
  /** Why an answer failed or broke off, for the log. */
  failure: string | undefined;
  /** The methods of the path, when the request came with another. */
  allow: string | undefined;
}

export type GatewayResponse = Response<unknown, RequestState>;

export type Handler = (request: Request, response: GatewayResponse, next: NextFunction) => void | Promise<void>;
