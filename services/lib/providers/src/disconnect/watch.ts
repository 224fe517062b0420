import type { OnAbort } from "@uag/catalog/types";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import { UpstreamFailure } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import type { BodySink } from "../http/response-body.ts";
import type { Drained, Drains } from "./drains.ts";

/** What happens to an upstream call whose client disconnects. */
export interface DisconnectRule {
  readonly onAbort: OnAbort;
  readonly drains: Drains;
  /** Called when the call continues without its client. */
  draining?(): void;
}

/**
 * Links an upstream call to its client. If the client disconnects before the upstream has the
 * request, the call is aborted and nothing is owed. After that, a call whose billing stops on abort
 * is aborted; any other is drained for its usage, within the limits.
 */
export class DisconnectWatch implements Drained {
  readonly #client: AbortSignal;
  readonly #rule: DisconnectRule;
  readonly #controller = new AbortController();
  readonly #onLeave = (): void => this.#left();
  #sentAt: number | undefined;
  #response: HttpResponse | undefined;
  #bytes = 0;
  draining = false;

  constructor(client: AbortSignal, rule: DisconnectRule) {
    this.#client = client;
    this.#rule = rule;
    if (client.aborted) this.#controller.abort(client.reason);
    else client.addEventListener("abort", this.#onLeave);
  }

  /** Aborts the upstream call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The upstream has received the whole request. */
  sent(): void {
    this.#sentAt = performance.now();
  }

  /** The upstream has rejected the request, which may be sent again for a client that is there. */
  rejected(): void {
    this.#sentAt = undefined;
    if (this.draining) this.giveUp();
  }

  /**
   * Wraps the response after its head arrived: its body is counted, and never paused once only we
   * read it.
   */
  responded(response: HttpResponse): HttpResponse {
    this.#response = response;
    return new WatchedResponse(response, this);
  }

  took(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#rule.drains.limits.maxBytes) this.giveUp();
  }

  giveUp(): void {
    this.#controller.abort(this.#client.reason);
  }

  /** The call is over, whatever the outcome. */
  done(): void {
    this.#client.removeEventListener("abort", this.#onLeave);
    if (this.draining) this.#rule.drains.end(this);
    this.draining = false;
  }

  /**
   * Adds to the failure how long the upstream had the request, if the call was aborted after that,
   * or broke while only we read it: the upstream may charge for it, and no other attempt is made.
   */
  explained(failure: unknown): unknown {
    if (!(failure instanceof UpstreamFailure) || this.#sentAt === undefined) return failure;
    if (failure.kind !== "cancelled" && !this.draining) return failure;
    return failure.with({ workedMs: performance.now() - this.#sentAt });
  }

  #left(): void {
    const goesOn = this.#sentAt !== undefined && this.#rule.onAbort === "continues";
    if (!goesOn || !this.#rule.drains.begin(this)) {
      this.giveUp();
      return;
    }
    this.draining = true;
    this.#rule.draining?.();
    this.#response?.resume();
  }
}

class WatchedResponse implements HttpResponse {
  readonly #response: HttpResponse;
  readonly #watch: DisconnectWatch;

  constructor(response: HttpResponse, watch: DisconnectWatch) {
    this.#response = response;
    this.#watch = watch;
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string | undefined {
    return this.#response.header(name);
  }

  consume(sink: BodySink): void {
    const watch = this.#watch;
    this.#response.consume({
      data(chunk) {
        if (watch.draining) watch.took(chunk.length);
        sink.data(chunk);
      },
      end() {
        watch.done();
        sink.end();
      },
      error(failure) {
        const explained = watch.explained(failure) as UpstreamFailure;
        watch.done();
        sink.error(explained);
      },
    });
  }

  async read(maxBytes: number, memory?: ResponseMemory): Promise<Buffer> {
    try {
      return await this.#response.read(maxBytes, memory);
    } catch (error) {
      throw this.#watch.explained(error);
    } finally {
      this.#watch.done();
    }
  }

  pause(): void {
    if (!this.#watch.draining) this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  cancel(): void {
    this.#watch.done();
    this.#response.cancel();
  }
}
