import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { eventStreamHeaders } from "@uag/pipeline/operation/headers";
import type { StreamedReply } from "@uag/pipeline/operation/query-reply";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import type { EventLog } from "../state/event-log.ts";
import { responseNotFound } from "../state/not-found.ts";
import type { ResponseStore } from "../state/store.ts";
import type { JobStore } from "./job-store.ts";
import { lastEvent, openingEvents, openingOf } from "./stream-events.ts";

/** How often a follower looks for new events. */
const pollMs = 150;
const keepAliveMs = 10_000;
const keepAlive = Buffer.from(": keep-alive\n\n");
const retryAfterMs = 1_000;

/** Where followers read, and how many there may be. */
export interface FollowersOptions {
  readonly jobs: JobStore;
  readonly stored: ResponseStore;
  readonly buffers: Pick<BufferBudget, "open">;
  /** Followers in this process; of an account a quarter, of a key an eighth. */
  readonly max: number;
  /** Maximum length of an event, bytes. */
  readonly maxEventBytes: number;
}

/** A client that follows a response's stream. */
export interface Follower {
  readonly caller: Caller;
  readonly id: string;
  /** The number of the first event that it gets. */
  readonly from: number;
  /** Aborts when it disconnects. */
  readonly signal: AbortSignal;
}

/** A response's stream at a time. */
interface View {
  readonly log: EventLog;
  /** The events that open it, as long as none are stored. */
  opening(): Promise<readonly Buffer[]>;
  /** The response, if it has ended. */
  readonly ended: Buffer | undefined;
}

/** Clients that follow responses which any replica makes, by what it stores of them. */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #open = new Map<string, number>();

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /** The events from a number on, and those to come, until the response has ended. */
  follow(follower: Follower): StreamedReply {
    return { headers: eventStreamHeaders, chunks: this.#events(follower) };
  }

  /** @throws {GatewayError} before the first chunk: `not_found`, `invalid_request`, `too_many_open_requests` */
  async *#events(follower: Follower): AsyncGenerator<Buffer, void, undefined> {
    const { jobs, maxEventBytes } = this.#options;
    using _place = this.#enter(follower.caller);
    const decoder = new SseDecoder({ maxEventBytes });
    let next = follower.from;
    let decoded = 0;
    let pieces = 0;
    let sentAt = -keepAliveMs;
    while (!follower.signal.aborted) {
      const view = await this.#view(follower);
      const { log, ended } = view;
      const first = next;
      if (log.pieces === 0)
        for (const event of (await view.opening()).slice(next)) {
          yield event;
          next++;
        }
      for await (const piece of jobs.readEvents(log, pieces)) {
        const events = decoder.push(piece);
        const wanted = events.slice(Math.max(0, next - decoded));
        decoded += events.length;
        next = Math.max(next, decoded);
        for (const { raw } of wanted) yield raw;
      }
      ({ pieces } = log);
      if (ended !== undefined) {
        if (next <= log.events) yield lastEvent(log.events, ended);
        return;
      }
      if (next > first) sentAt = performance.now();
      else if (performance.now() - sentAt >= keepAliveMs) {
        sentAt = performance.now();
        yield keepAlive;
      }
      await sleep(pollMs);
    }
  }

  /** @throws {GatewayError} `not_found`, `invalid_request` */
  async #view({ caller, id }: Follower): Promise<View> {
    const { jobs, stored, buffers } = this.#options;
    const { accountId } = caller;
    const job = await jobs.find(accountId, id);
    if (job !== undefined) {
      const opening = async () => openingEvents(await jobs.readResponse(job));
      return { log: logOf(job.events), opening, ended: undefined };
    }
    // A job is deleted once its response is stored.
    const row = await stored.find(accountId, id);
    if (row === undefined) throw responseNotFound(caller, id);
    const log = logOf(row.events);
    using lease = buffers.open(accountId);
    lease.take(row.bytes);
    const { response } = await stored.read(row);
    return { log, opening: async () => openingOf(response), ended: response };
  }

  /** @throws {GatewayError} `too_many_open_requests`, `service_unavailable`; then nothing is counted */
  #enter({ accountId, keyId }: Caller): Disposable {
    const { max } = this.#options;
    const limits = [
      ["", max],
      [`account ${accountId}`, Math.ceil(max / 4)],
      [`key ${keyId}`, Math.ceil(max / 8)],
    ] as const;
    for (const [name, most] of limits) {
      if ((this.#open.get(name) ?? 0) < most) continue;
      const [whose] = name.split(" ");
      const text = `This ${whose || "replica"} already follows ${most} responses in the background.`;
      if (name === "") throw new GatewayError("service_unavailable", text, { retryAfterMs });
      throw new GatewayError("too_many_open_requests", text, { retryAfterMs });
    }
    for (const [name] of limits) this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#leave(limits.map(([name]) => name)) };
  }

  #leave(names: readonly string[]): void {
    for (const name of names) {
      const count = this.#open.get(name) ?? 0;
      if (count > 1) this.#open.set(name, count - 1);
      else this.#open.delete(name);
    }
  }
}

function logOf(log: EventLog | undefined): EventLog {
  if (log !== undefined) return log;
  const text = "Only responses that were created with background: true and stream: true can be streamed again.";
  throw new GatewayError("invalid_request", text, { param: "stream" });
}
