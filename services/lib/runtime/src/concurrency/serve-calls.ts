import { parentPort } from "node:worker_threads";
import { Mutex } from "./mutex.ts";

/** A thread's reply to one call. */
export type WorkerReply<A> = { readonly value: A } | { readonly failed: string };

/**
 * Serves the calls of a `WorkerPool` in its thread, one after another.
 * @param transferOf the buffers of a reply that are moved to the calling thread; default: none
 */
export function serveCalls<Q, A>(
  handle: (request: Q) => A | Promise<A>,
  transferOf: (reply: A) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("calls are served only in a worker thread");
  const mutex = new Mutex();
  const serve = async (request: Q): Promise<void> => {
    try {
      const value = await handle(request);
      port.postMessage({ value } satisfies WorkerReply<A>, transferOf(value));
    } catch (error) {
      port.postMessage({ failed: String(error) } satisfies WorkerReply<A>);
    }
  };
  port.on("message", (request: Q) => mutex.runExclusive(() => serve(request)));
}
