import type { LinkCall, LinkRequest, LinkResponse } from "@uag/link/call";
import type { Opener } from "../../src/batches/endpoints.ts";

/** What the backend responds to a request. */
export interface Reply {
  readonly status: number;
  readonly headers?: readonly string[];
  readonly body?: object;
}

/** Chooses a reply to the body of a request; throwing ends the exchange like a lost connection. */
export type Respond = (body: { readonly n: number }, headers: readonly string[]) => Reply | Promise<Reply>;

const json = ["content-type", "application/json"];
const ok: Respond = ({ n }) => ({ status: 200, body: { n } });

/**
 * A capability service as batches see it: a request is billed when it succeeds, and its idempotency
 * key has the response replayed from then on.
 */
export class Backend implements Opener {
  respond: Respond = ok;
  /** How often each request was billed, by the number in its body. */
  readonly billed = new Map<number, number>();
  readonly #kept = new Map<string, { readonly requestId: string; readonly body: object }>();

  /** The stored responses expire. */
  forget(): void {
    this.#kept.clear();
  }

  open(request: LinkRequest, response: LinkResponse): LinkCall {
    const chunks: Buffer[] = [];
    let over = false;
    const reply = async (): Promise<void> => {
      const { status, headers = [], body = {} } = await this.#reply(request, Buffer.concat(chunks));
      if (over) return;
      over = true;
      response.onHead(status, [...json, ...headers]);
      response.onChunk(Buffer.from(JSON.stringify(body)));
      response.onEnd();
    };
    return {
      writeBody: (chunk) => chunks.push(chunk) > 0,
      bodyDrained: async () => {},
      endBody: () => void reply(),
      consumed: () => {},
      cancel: () => {
        over = true;
      },
      get over() {
        return over;
      },
    };
  }

  async #reply({ headers, requestId }: LinkRequest, body: Buffer): Promise<Reply> {
    const key = headers[headers.indexOf("idempotency-key") + 1] as string;
    const sent = JSON.parse(body.toString()) as { n: number };
    const kept = this.#kept.get(key);
    if (kept !== undefined)
      return { status: 200, headers: ["x-gateway-billed-request-id", kept.requestId], body: kept.body };
    const reply = await this.respond(sent, headers);
    // Another attempt may have been billed in the meantime; a real service refuses this one.
    if (reply.status !== 200 || this.#kept.has(key)) return reply;
    this.#kept.set(key, { requestId, body: reply.body ?? {} });
    this.billed.set(sent.n, (this.billed.get(sent.n) ?? 0) + 1);
    return reply;
  }
}
