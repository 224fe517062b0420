import { limitRecall, limitRecallResponse, limitRecallSubjects } from "@uag/contract/messages/billing";
import type { LimitServiceServer } from "@uag/proto/billing/v1/limits.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { Bus } from "@uag/runtime/bus";
import type { Clock } from "@uag/runtime/clock";
import type { Logger } from "@uag/runtime/log";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { onKeyChanged } from "../key-changes.ts";
import { Holder } from "./holder.ts";
import { KeyLimits } from "./key-limits.ts";

/** What a process needs to enforce its keys' limits together with the other replicas. */
export interface LimitsOptions {
  readonly billing: RpcClient<LimitServiceServer>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  /** Permits unused for this long are returned, milliseconds. */
  readonly idleMs: number;
}

const tickMs = 1_000;

/**
 * The limits of all keys in this replica. A key without limits costs only a check of its caller.
 */
export class Limits implements AsyncDisposable {
  readonly #options: LimitsOptions;
  readonly #holder: Holder;
  readonly #keys = new Map<string, KeyLimits>();
  readonly #timer: NodeJS.Timeout;
  #tickedAt: number;

  constructor(options: LimitsOptions) {
    this.#options = options;
    const { billing, clock, bus } = options;
    this.#holder = new Holder({
      billing,
      clock,
      lapsed: () => {
        for (const key of this.#keys.values()) key.lapse();
      },
    });
    this.#tickedAt = clock.monotonic();
    this.#timer = setInterval(() => this.#advance(), tickMs).unref();
    bus.subscribe(limitRecallSubjects.all, (data, subject) => this.#recalled(limitRecallSubjects.idOf(subject), data));
    onKeyChanged(options, (keyId) => {
      void this.#keys.get(keyId)?.returnAll();
    });
  }

  /** The caller's limits; undefined when it has none. */
  of(caller: Caller): KeyLimits | undefined {
    // The key of an envelope uses the permits of the key that it was opened with.
    const { keyId: own, rootKeyId: keyId = own } = caller;
    const known = this.#keys.get(keyId);
    if (known !== undefined) {
      known.learn(caller);
      return known;
    }
    const { limits } = caller;
    if (limits === undefined) return undefined;
    if (limits.requestsPerMinute === 0n && limits.tokensPerMinute === 0n && limits.concurrentRequests === 0n)
      return undefined;
    const key = new KeyLimits(keyId, { holder: this.#holder, clock: this.#options.clock });
    key.learn(caller);
    this.#keys.set(keyId, key);
    return key;
  }

  #advance(): void {
    const now = this.#options.clock.monotonic();
    const elapsedMs = now - this.#tickedAt;
    this.#tickedAt = now;
    let holds = false;
    for (const key of this.#keys.values()) {
      key.advance(elapsedMs, this.#options.idleMs);
      if (key.holds) holds = true;
      else if (key.empty) this.#keys.delete(key.keyId);
    }
    if (holds)
      this.#holder
        .renew()
        .catch((error: unknown) => this.#options.log.warn({ err: error }, "renewing permit leases failed"));
  }

  /** Returns everything not in use. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#keys.values()].map((key) => key.returnAll()));
  }

  #recalled(keyId: string, data: Uint8Array): void {
    const key = this.#keys.get(keyId);
    if (key === undefined) return;
    const { bus, log } = this.#options;
    const recall = limitRecall.decode(data);
    if (recall === undefined) {
      log.error({ bytes: data.length }, "invalid permit recall message");
      return;
    }
    const { kind, need, reply_to: replyTo } = recall;
    if (recall.report === true) {
      const reply = { holder_id: this.#holder.id, used: key.used(kind) };
      bus.connection.publish(replyTo, limitRecallResponse.encode(reply));
      return;
    }
    if (recall.holder_id === this.#holder.id) return;
    key
      .returnIdle(kind, need)
      .then((freeInMs) => bus.connection.publish(replyTo, limitRecallResponse.encode({ free_in_ms: freeInMs })))
      .catch((error: unknown) => log.warn({ err: error }, "a permit recall got no reply"));
  }
}
