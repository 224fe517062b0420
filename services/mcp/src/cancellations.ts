import { z } from "zod";

const id = z.union([z.string(), z.number()]);
const cancelled = z.object({ method: z.literal("notifications/cancelled"), params: z.object({ requestId: id }) });
const request = z.object({ id, method: z.string() });

/**
 * Requests under way, by whom they may be taken back. Up to revision 2025-11-25 a client takes one
 * back by a message of its own, which comes as another HTTP request; a session id, which we give
 * out and never look up, says that both are of one client, whose ids count from 1 like everybody's.
 * It reaches what runs in this process. From 2026-07-28 on closing the stream is enough.
 */
export class Cancellations {
  readonly #running = new Map<string, AbortController>();

  /** Notes the requests of a body as under way until disposed of, or takes back what it names. */
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
