import assert from "node:assert/strict";
import type { Upstream } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import type { Admitted } from "@uag/usage/types";
import { budgetCaller, freeCaller, orEndUser, requestOf, sharingCaller, sourcesOf } from "./callers.ts";
import type { Deaths, Source, Underway } from "./crash-counts.ts";
import type { Envelopes } from "./envelopes.ts";
import { FreeRequests } from "./free.ts";
import type { Permits } from "./permits.ts";
import { PoolCalls } from "./pool.ts";
import { limitedKey, type Replica } from "./replica.ts";
import type { RequestTruth, Truth } from "./truth.ts";

interface Running {
  readonly id: string;
  readonly replica: Replica;
  readonly open: Admitted;
  readonly truth: RequestTruth;
  /** If false, the whole response is sent once its bill is on disk. */
  readonly stream: boolean;
  readonly beganMs: number;
  /** The holder of its concurrency permit. */
  slotHolder: string | undefined;
  /** Its client has disconnected; its upstream is read until it reports usage. */
  disconnected: boolean;
  /** Its usage has no price. */
  readonly unpriced: boolean;
  readonly underway: Underway;
  /** The call of a provider with several credentials; undefined: another provider responds. */
  readonly pooled: PooledCall | undefined;
}

interface PooledCall {
  /** Undefined until it responds, and if no credential may be used. */
  upstream: Upstream | undefined;
}

export interface RequestsOptions {
  readonly random: (below: number) => number;
  readonly truth: Truth;
  readonly permits: Permits;
  readonly deaths: Deaths;
  /** Whether the ledger has a request's bill. */
  readonly isBilled: (requestId: string) => boolean;
  readonly envelopes: Envelopes;
  /** True time, milliseconds. */
  readonly now: () => number;
}

const concurrent = 6;
const maxMs = 150_000;
/** Share of the requests, 1/n, to a provider with several credentials. */
const toPool = 2;
/** Share of the requests, 1/n, with the key of an envelope, where there is one. */
const inEnvelopes = 3;
const nothing = new Uint8Array();

/** The requests in flight, of an unlimited key and of one with two limits. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #free: FreeRequests;
  readonly pool: PoolCalls;
  #running: Running[] = [];
  #limit = 5;
  #version = 1n;
  #ids = 0;
  /** Percentage of requests with the limited key; differs between worlds. */
  readonly #limitedPercent: number;
  /** The first failure of an operation that is not awaited. */
  fault: unknown;
  /** Requests refused by a process whose clock was wrong. */
  refusedForClock = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#limitedPercent = options.random(2) === 0 ? 30 : 95;
    options.truth.limitIs(this.#limit, 0);
    this.pool = new PoolCalls(options.random);
    this.#free = new FreeRequests({ ...options, admitted: () => this.#checkConcurrency() });
  }

  get size(): number {
    return this.#running.length + this.#free.size;
  }

  changeLimit(limit: number): void {
    this.#limit = limit;
    this.#version++;
    this.#options.permits.change(limit, this.#version);
    this.#options.truth.limitIs(limit, this.#options.now());
  }

  /** Drops the requests of a dead process. */
  forget(replica: Replica): void {
    this.#options.deaths.of(replica);
    this.#running = this.#running.filter((running) => running.replica !== replica);
    this.#free.forget(replica);
  }

  begin(replica: Replica): void {
    const limited = this.#options.random(100) < this.#limitedPercent;
    if (limited && this.#options.random(8) === 0) {
      this.#watch(this.#free.begin(replica, this.#orBelow(this.#limitedCaller())));
      return;
    }
    const requestId = `r${++this.#ids}`;
    // Some models are free.
    const holdNanoUsd = BigInt(this.#options.random(10) === 0 ? 0 : 1 + this.#options.random(200));
    const stream = this.#options.random(2) === 0;
    const unpriced = this.#options.random(5) === 0;
    const caller = this.#orBelow(limited ? this.#limitedCaller() : this.#unlimitedCaller());
    const sources: Source[] = [...sourcesOf(caller), ...(unpriced ? (["unpriced"] as const) : [])];
    const underway = this.#options.deaths.begin({
      stage: "asked",
      replica,
      sources: holdNanoUsd === 0n ? [...sources, "free"] : sources,
      over: () => underway.stage === "billed" && this.#options.isBilled(requestId),
    });
    const request = {
      ...requestOf(caller),
      requestId,
      holdNanoUsd,
      stream,
    };
    const refused = (error: unknown): void => {
      this.#options.deaths.end(underway);
      if (replica.clockIsWrong) this.refusedForClock++;
      if (!(error instanceof GatewayError) || error.code === "internal_error") throw error;
    };
    this.#watch(
      replica.admitter
        .admit(request)
        .then(
          (open) =>
            this.#admitted({ id: requestId, replica, open, hold: holdNanoUsd, limited, stream, unpriced, underway }),
          refused,
        ),
    );
  }

  #watch(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.fault ??= error;
    });
  }

  #unlimitedCaller(): Caller {
    return [budgetCaller, sharingCaller, freeCaller, freeCaller][this.#options.random(4)] as Caller;
  }

  /** Often, one with the key of an envelope below this one, or of an end user. */
  #orBelow(caller: Caller): Caller {
    const { random, envelopes } = this.#options;
    return orEndUser((random(inEnvelopes) === 0 ? envelopes.below(caller) : undefined) ?? caller, random);
  }

  /** Any of the keys that are no envelope's. */
  someCaller(): Caller {
    return [this.#limitedCaller(), budgetCaller, sharingCaller, freeCaller][this.#options.random(4)] as Caller;
  }

  /** Who submits a task. */
  taskCaller(): Caller {
    return this.#orBelow(this.someCaller());
  }

  /** The caller with the key's current limits. */
  #limitedCaller(): Caller {
    const none = { tokensPerMinute: 0n, monthlyBudgetNanoUsd: 0n };
    const limits = { ...none, requestsPerMinute: BigInt(this.#limit), concurrentRequests: BigInt(concurrent) };
    const budgetIds = ["bud_organization", "bud_fleet"];
    return { ...freeCaller, keyId: limitedKey, limits, version: this.#version, budgetIds };
  }

  #admitted(one: {
    id: string;
    replica: Replica;
    open: Admitted;
    hold: bigint;
    limited: boolean;
    stream: boolean;
    unpriced: boolean;
    underway: Underway;
  }): void {
    const { id, replica, open, hold, limited, stream, unpriced, underway } = one;
    underway.stage = "admitted";
    assert.ok(
      !replica.clockIsWrong,
      `${replica.name} admits although its clock is wrong by ${replica.wallOffsetMs} ms`,
    );
    const truth: RequestTruth = { hold, possible: new Set([0n]), reportedCost: undefined, begun: false };
    this.#options.truth.requests.set(id, truth);
    const slotHolder = limited ? replica.holder.id : undefined;
    const beganMs = this.#options.now();
    const pooled = this.#options.random(toPool) === 0 ? { upstream: undefined } : undefined;
    const running: Running = {
      id,
      replica,
      open,
      truth,
      stream,
      slotHolder,
      disconnected: false,
      unpriced,
      underway,
      beganMs,
      pooled,
    };
    this.#running.push(running);
    if (pooled !== undefined) this.#watch(this.#callPool(running, pooled));
    if (!limited) return;
    this.#options.truth.admitted(this.#options.now());
    this.#checkConcurrency();
  }

  async #callPool(running: Running, pooled: PooledCall): Promise<void> {
    const { replica, open, truth } = running;
    const isOver = (): boolean => !this.#running.includes(running);
    pooled.upstream = await this.pool.call({ open, health: replica.credentials, hold: truth.hold, isOver });
    if (pooled.upstream === undefined && !isOver()) this.end(running);
  }

  #checkConcurrency(): void {
    const holds = ({ slotHolder: by }: Running): boolean => by !== undefined && !this.#options.permits.hasLapsed(by);
    const atOnce = this.#running.filter(holds).length + this.#free.atOnce;
    assert.ok(atOnce <= concurrent, `${atOnce} requests are in flight, above the limit of ${concurrent}`);
  }

  #oneRunning(): Running | undefined {
    const running = this.#running.filter((one) => !one.replica.paused && hasResponse(one));
    return running[this.#options.random(running.length)];
  }

  /** Sends the first byte; a stream writes its first checkpoint then, which the byte does not wait for. */
  firstByte(): void {
    const running = this.#oneRunning();
    if (running?.stream === true && !running.truth.begun) this.#checkpoint(running);
    running?.open.flushStarted().then(
      () => {
        running.truth.begun = true;
        if (running.underway.stage === "admitted") running.underway.stage = "begun";
      },
      // The disk failed: nothing is sent to the client.
      () => undefined,
    );
  }

  checkpoint(): void {
    const running = this.#oneRunning();
    if (running !== undefined) this.#checkpoint(running);
  }

  #checkpoint(running: Running): void {
    const cost = BigInt(this.#options.random(Number(running.truth.hold) + 1));
    running.truth.possible.add(cost);
    running.open.checkpoint({ units: [], costNanoUsd: cost, isUpperBound: false });
    running.underway.stage = "checkpointed";
  }

  /**
   * Disconnects a client: its permit is freed at once, and its bill follows when the upstream has
   * reported usage.
   */
  disconnect(): void {
    const running = this.#oneRunning();
    if (running === undefined || running.disconnected) return;
    running.open.clientLeft();
    running.slotHolder = undefined;
    running.disconnected = true;
    running.underway.stage = "disconnected";
  }

  /** Ends a request at a cost below its hold, occasionally above it, at no cost or without a price. */
  end(running = this.#oneRunning()): void {
    if (this.#options.random(4) === 0) this.#free.end();
    if (running === undefined) return;
    const { truth, open, stream, disconnected, unpriced, underway, pooled: { upstream } = {} } = running;
    underway.stage = "settling";
    const beyond = [1, 1, 1, 1, 1, 1, 1, 1, 3, 9][this.#options.random(10)] as number;
    // Without a response nothing is owed.
    const some = hasResponse(running) ? BigInt(this.#options.random(Number(truth.hold) * beyond + 1)) : 0n;
    // A client that disconnects pays for what the upstream generates.
    const cost = disconnected && truth.hold > 0n && some === 0n ? 1n : some;
    const asCrashed = truth.possible.has(cost);
    truth.possible.add(cost);
    const settlement = {
      outcome: disconnected ? Outcome.DISCONNECTED : Outcome.COMPLETED,
      settlementRule: disconnected ? SettlementRule.DRAINED : SettlementRule.COMPLETED,
      pricing: unpriced ? Pricing.UNPRICED : Pricing.EXACT,
      units: [],
      costNanoUsd: cost,
      upstream: upstream?.provider.name ?? "",
      upstreamModel: "",
      upstreamCredentialId: upstream?.provider.credential.id,
      rawUsage: nothing,
      attempts: 1,
      failedAttempts: [],
      status: 200,
    };
    this.#running.splice(this.#running.indexOf(running), 1);
    open.settle(settlement).then(
      () => {
        truth.reportedCost = cost;
        underway.stage = "billed";
      },
      // The disk failed: what was streamed is billed later; a response that was not sent is not.
      () => {
        if (!stream && !asCrashed) truth.possible.delete(cost);
      },
    );
  }

  /** Ends overdue requests, so that none outlasts billing's wait for a dead holder's last events. */
  endOverdue(): void {
    const since = this.#options.now() - maxMs;
    for (const running of [...this.#running]) if (running.beganMs < since && !running.replica.paused) this.end(running);
  }

  endAll(): void {
    this.#free.endAll();
    for (const running of [...this.#running]) this.end(running);
  }
}

/** A request to the pool waits for a credential before its provider is called. */
const hasResponse = ({ pooled }: Running): boolean => pooled === undefined || pooled.upstream !== undefined;
