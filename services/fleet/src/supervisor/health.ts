import { Agent, get } from "node:http";

const timeoutMs = 1_000;
// An agent of our own: the global one goes through a proxy when the environment tells Node so,
// which cannot reach us.
const agent = new Agent();

/** Asks an HTTP health path once; true for any 2xx within `waitMs` (1 s when none is named). */
export function respondsOk(url: string, waitMs = timeoutMs): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent, signal: AbortSignal.timeout(waitMs) }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      resolve(statusCode >= 200 && statusCode < 300);
    });
    request.on("error", () => resolve(false));
  });
}
