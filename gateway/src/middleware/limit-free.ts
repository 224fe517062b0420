import type { FreeLimits } from "@uag/untrusted/free-limits";
import type { Handler } from "../request-state.ts";

/** Limits free requests by key; one beyond the limits waits briefly before it is refused. */
export function limitFree(limits: FreeLimits): Handler {
  return async (request, response, next) => {
    const { key, route } = response.locals;
    if (key === undefined) throw new Error("limits need a key");
    const { keyId, requestsPerMinute } = key;
    const length = request.headers["content-length"];
    // A file is stored without being read, within its account's space.
    const isRead = route?.body !== "none" && route?.body !== "upload";
    const bodyBytes = !isRead ? 0 : length === undefined ? undefined : Number(length);
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    // The connection may have closed while the key was looked up: then no close event follows.
    if (response.destroyed) return;
    let slot: Disposable;
    try {
      slot = await limits.enter({ keyId, requestsPerMinute, bodyBytes }, closed.signal);
    } catch (error) {
      if (closed.signal.aborted) return;
      throw error;
    }
    if (closed.signal.aborted) {
      slot[Symbol.dispose]();
      return;
    }
    response.once("close", () => slot[Symbol.dispose]());
    next();
  };
}
