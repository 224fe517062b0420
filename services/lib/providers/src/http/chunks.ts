import type { UpstreamFailure } from "../failure.ts";
import type { HttpResponse } from "./call.ts";

/** Above this many buffered bytes the socket is not read. */
const highWaterBytes = 256 * 1024;

/**
 * The chunks of a response's body, at the reader's pace. Leaving the loop early aborts the call.
 * @throws {UpstreamFailure} when the body breaks
 */
export async function* chunksOf(response: HttpResponse): AsyncGenerator<Buffer, void, undefined> {
  const waiting: Buffer[] = [];
  let size = 0;
  let paused = false;
  let ended = false;
  let failure: UpstreamFailure | undefined;
  let wake = (): void => {};
  response.consume({
    data(chunk) {
      waiting.push(chunk);
      size += chunk.length;
      if (size > highWaterBytes && !paused) {
        paused = true;
        response.pause();
      }
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    error(error) {
      failure = error;
      wake();
    },
  });
  try {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        size -= chunk.length;
        if (paused && size <= highWaterBytes) {
          paused = false;
          // Chunks that the socket held back may arrive synchronously, within this call.
          response.resume();
        }
        yield chunk;
      } else if (failure !== undefined) throw failure;
      else if (ended) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    if (!ended && failure === undefined) response.cancel();
  }
}
