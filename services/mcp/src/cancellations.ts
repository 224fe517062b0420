import { z } from "zod";

const id = z.union([z.string(), z.number()]);
const cancelled = z.object({ method: z.literal("notifications/cancelled"), params: z.object({ requestId: id }) });
const request = z.object({ id, method: z.string() });

/**
 * Requests in flight, by the ids with which clients cancel them. Up to revision 2025-11-25 a client
 * cancels by a message of its own, in another HTTP request; a session id, which we issue and never
 * look up, identifies the client, since request ids count from 1 for everyone. A cancellation
 * reaches only requests of this process. From 2026-07-28 on, closing the stream is enough.
 */
export class Cancellations {
  readonly #running = new Map<string, AbortController>();

  /** Registers the requests of a body as in flight until disposed of, or cancels those it names. */
  open(body: unknown, client: string | undefined, controller: AbortController): Disposable {
    const names: string[] = [];
    if (client !== undefined) {
      for (const message of Array.isArray(body) ? body : [body]) {
        const taken = cancelled.safeParse(message);
        if (taken.success) this.#running.get(nameOf(client, taken.data.params.requestId))?.abort();
        const requested = request.safeParse(message);
        if (requested.success) names.push(nameOf(client, requested.data.id));
      }
    }
    for (const name of names) this.#running.set(name, controller);
    return {
      [Symbol.dispose]: () => {
        for (const name of names) if (this.#running.get(name) === controller) this.#running.delete(name);
      },
    };
  }
}

const nameOf = (client: string, requestId: string | number): string => `${client} ${typeof requestId} ${requestId}`;
