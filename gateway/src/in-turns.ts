import type { RequestListener } from "node:http";
import { nextTurn } from "@uag/runtime/next-turn";

/** Longest part of a turn of the event loop in which requests begin, milliseconds. */
const turnMs = 8;

/**
 * Begins requests in the order of their arrival, and in turns of the event loop: hundreds that
 * arrive at once would delay all others. One whose client disconnects meanwhile does not begin.
 */
export function inTurns(listener: RequestListener): RequestListener {
  let startedAt: number | undefined;
  let waiting = 0;
  const isOver = (): boolean => {
    if (startedAt === undefined) {
      startedAt = performance.now();
      setImmediate(() => {
        startedAt = undefined;
      });
    }
    return performance.now() - startedAt >= turnMs;
  };
  return async (request, response) => {
    if (waiting > 0 || isOver()) {
      waiting++;
      await nextTurn();
      waiting--;
      if (response.destroyed) return;
    }
    listener(request, response);
  };
}
