import { Agent, get } from "node:http";

const timeoutMs = 1_000;
// A separate agent, because the global one uses a proxy if the environment sets one, and no proxy
// can reach this machine.
const agent = new Agent();

/** Requests an HTTP health path once; true for any 2xx within `waitMs` (default 1 s). */
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
