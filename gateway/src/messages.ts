import { IncomingMessage, ServerResponse } from "node:http";
import type { Express } from "express";
import type { RequestState } from "./request-state.ts";

/**
 * Message classes for `createServer` that already have express's prototypes. Express would
 * otherwise change each message's prototype and attach a state object without a fixed shape, which
 * slows down everything that uses them afterwards.
 */
export function messageClasses(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
    readonly locals: RequestState = {
      requestId: "",
      startedAt: 0,
      route: undefined,
      key: undefined,
      admin: undefined,
      sameOrigin: false,
      trace: undefined,
      failure: undefined,
      refused: undefined,
      allow: undefined,
    };
  }
  Object.setPrototypeOf(GatewayRequest.prototype, app.request);
  Object.setPrototypeOf(GatewayResponse.prototype, app.response);
  Object.assign(app, { request: GatewayRequest.prototype, response: GatewayResponse.prototype });
  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse };
}
