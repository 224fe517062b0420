import type { FreeLimits } from "@uag/kit/free-limits.ts";
import type { Handler } from "../request-state.ts";

/** Limits free requests by their key's limits for such. */
export function limitFree(limits: FreeLimits): Handler {
  return (request, response, next) => {
    const { key, route } = response.locals;
    if (key === undefined) throw new Error("limits are a key's");
    const { keyId, requestsPerMinute } = key;
    const length = request.headers["content-length"];
    const bodyBytes = route?.body === "none" ? 0 : length === undefined ? undefined : Number(length);
    limits.enter({ keyId, requestsPerMinute, bodyBytes });
    // The connection may have closed while the key was looked up: then no close event follows.
    if (response.destroyed) limits.leave(keyId);
    else response.once("close", () => limits.leave(keyId));
    next();
  };
}
