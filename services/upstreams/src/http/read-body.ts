import { joined } from "@uag/kit/joined.ts";
import type { ResponseMemory } from "@uag/kit/response-memory.ts";
import { UpstreamFailure } from "../failure.ts";
import { wireFailure } from "./errors.ts";
import type { BodySink } from "./response-body.ts";

/** A response whose body has not been consumed. */
interface Unread {
  readonly status: number;
  consume(sink: BodySink): void;
  pause(): void;
  resume(): void;
}

export interface ReadBodyOptions {
  readonly maxBytes: number;
  /** Undefined for a body that `maxBytes` bounds well enough. */
  readonly memory: ResponseMemory | undefined;
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /** Ends the call; the sink gets the failure. */
  fail(failure: UpstreamFailure): void;
}

/**
 * Reads a response's whole body, within its memory: while there is no room the socket is not read.
 * @throws {UpstreamFailure} when it breaks, or is longer than `maxBytes`
 */
export async function readBody(response: Unread, options: ReadBodyOptions): Promise<Buffer> {
  const { maxBytes, memory, signal, fail } = options;
  const chunks: Buffer[] = [];
  let size = 0;
  const wait = async (room: Promise<void>): Promise<void> => {
    response.pause();
    await room;
    response.resume();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      response.consume({
        data(chunk) {
          size += chunk.length;
          if (size > maxBytes) {
            fail(new UpstreamFailure("transient", `the answer is longer than ${maxBytes} bytes`));
            return;
          }
          chunks.push(chunk);
          const room = memory?.take(chunk.length, signal);
          if (room !== undefined) wait(room).catch((error: unknown) => fail(wireFailure(error, response.status)));
        },
        end: resolve,
        error: reject,
      });
    });
  } catch (failure) {
    memory?.give(size);
    throw failure;
  }
  return await joined(chunks);
}
