import { joined } from "@uag/untrusted/joined";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { UpstreamFailure } from "../failure.ts";
import { BoundedBody } from "./bounded-body.ts";
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
 * @throws {UpstreamFailure} with what was received when it breaks, or is longer than `maxBytes`
 */
export async function readBody(response: Unread, options: ReadBodyOptions): Promise<Buffer> {
  const { maxBytes, memory, signal, fail } = options;
  const body = new BoundedBody(maxBytes);
  let taken = 0;
  const wait = async (room: Promise<void>): Promise<void> => {
    response.pause();
    await room;
    response.resume();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      response.consume({
        data(chunk) {
          body.add(chunk);
          if (body.isTooLong) {
            if (body.isHopeless) fail(body.failure());
            return;
          }
          taken += chunk.length;
          const room = memory?.take(chunk.length, signal);
          if (room !== undefined) wait(room).catch((error: unknown) => fail(wireFailure(error, response.status)));
        },
        end: resolve,
        error(failure) {
          // However the reading ended, the upstream charges for a response that is too long.
          if (body.isTooLong && failure.kind !== "cancelled") reject(body.failure());
          else reject(failure.partial === undefined ? failure.with({ partial: body.bytes }) : failure);
        },
      });
    });
    if (body.isTooLong) throw body.failure();
  } catch (failure) {
    memory?.give(taken);
    throw failure;
  }
  return await joined(body.chunks);
}
