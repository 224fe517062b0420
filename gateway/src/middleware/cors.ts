import type { Method } from "@uag/contract/routes";
import type { Handler } from "../request-state.ts";
import { allowHeader } from "./method-not-allowed.ts";

const sane = /^[\w\-, ]{1,2048}$/;
const usual = "authorization, content-type, idempotency-key, anthropic-version, anthropic-beta, x-goog-api-key";

/**
 * Responds to a browser's preflight. Keys are sent in a header and never in cookies, so any origin
 * is allowed.
 */
export function preflight(methods: readonly Method[]): Handler {
  const allowed = allowHeader(methods);
  return (request, response) => {
    const wanted = request.headers["access-control-request-headers"];
    response.writeHead(204, {
      allow: allowed,
      "access-control-allow-origin": "*",
      "access-control-allow-methods": allowed,
      "access-control-allow-headers": wanted !== undefined && sane.test(wanted) ? wanted : usual,
      "access-control-max-age": "86400",
      "x-request-id": response.locals.requestId,
    });
    response.end();
  };
}
