import { IncomingMessage, ServerResponse } from "node:http";
import type { Express } from "express";
import type { RequestState } from "./request-state.ts";

/**
 * Classes of messages for `createServer` that are what express wants them to be from the start. It
 * gives each message another prototype otherwise, and its state an object without a shape: that
 * slows down all that touches them afterwards.
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
      allow: undefined,
    };
  }
  Object.setPrototypeOf(GatewayRequest.prototype, app.request);
  Object.setPrototypeOf(GatewayResponse.prototype, app.response);
  Object.assign(app, { request: GatewayRequest.prototype, response: GatewayResponse.prototype });
  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse };
}
