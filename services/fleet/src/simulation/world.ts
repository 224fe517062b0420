import assert from "node:assert/strict";
import type { AdmitRequest, Admitted } from "@uag/admission/types.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import { seeded } from "../soak/kills.ts";
import { Metering } from "./metering.ts";
import { Network } from "./network.ts";
import { limitedKey, type Remains, Replica } from "./replica.ts";
import { Slots } from "./slots.ts";
import { accountId, Store } from "./store.ts";
import { type RequestTruth, Truth } from "./truth.ts";

interface Running {
  readonly id: string;
  readonly replica: Replica;
  readonly open: Admitted;
  readonly truth: RequestTruth;
  /** Under which it has a slot of concurrency. */
  readonly slotHolder: string | undefined;
}

export const concurrent = 6;
const replicas = 3;
const lossPercent = 3;
const crashPercent = 4;
const nothing = new Uint8Array();

/** Lets everything happen that is due without the passing of time. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One account, one limited key, a few replicas, a bad network, a clock; all by one seed. */
export class World {
  readonly random: (below: number) => number;
  readonly truth = new Truth();
  readonly network: Network;
  readonly store: Store;
  readonly slots: Slots;
  readonly metering: Metering;
  #now = 0;
  /** By which the database's clock is behind: it may be set back, never ahead. */
  #storeBehindMs = 0;
  #replicas: Replica[] = [];
  #volume: Remains[] = [];
  #running: Running[] = [];
  #limit = 5;
  #version = 1n;
  #ids = 0;
  #fault: unknown;

  constructor(seed: number) {
    const next = seeded(seed);
    this.random = (below) => Math.floor(next() * below);
    const storeNow = (): number => Math.round(this.#now - this.#storeBehindMs + 1e12);
    this.network = new Network({ random: this.random, lossPercent });
    this.store = new Store(storeNow);
    this.slots = new Slots(storeNow);
    this.metering = new Metering(this.store, this.random);
    this.truth.limitIs(this.#limit, 0);
    this.store.topUp(2_000n);
    for (let n = 0; n < replicas; n++) this.#start();
  }

  #start(): void {
    const { random, network, store, slots } = this;
    const replica: Replica = new Replica({
      ...{ name: `p${++this.#ids}`, network, store, slots, random, now: () => this.#now },
      recallMoney: () => {
        for (const one of this.#replicas) network.tell(one, "recall", () => one.recallMoney(accountId));
      },
      recallSlots: ({ asker, kind, need }) => {
        const name = kind === LimitKind.REQUESTS ? "requests" : "concurrency";
        for (const one of this.#replicas)
          if (one !== asker) network.tell(one, "recall slots", () => void one.key.giveIdle(name, need));
      },
    });
    this.#replicas.push(replica);
  }

  #someone(): Replica | undefined {
    const awake = this.#replicas.filter(({ paused }) => !paused);
    return awake[this.random(awake.length)];
  }

  pass(): void {
    const which = this.random(100);
    this.#now += which < 90 ? this.random(5) : which < 99 ? this.random(300) : this.random(20_000);
  }

  topUp(): void {
    this.store.topUp(BigInt(1 + this.random(1_200)));
  }

  begin(): void {
    const replica = this.#someone();
    if (replica === undefined) return;
    const limited = this.random(5) < 2;
    const requestId = `r${++this.#ids}`;
    const holdNanoUsd = BigInt(1 + this.random(200));
    const request = { ...requestOf(limited ? this.#limitedCaller() : freeCaller), requestId, holdNanoUsd };
    const refused = (error: unknown): void => {
      if (!(error instanceof GatewayError) || error.code === "internal_error") throw error;
    };
    replica
      .admit(request)
      .then((open) => this.#admitted({ id: requestId, replica, open, hold: holdNanoUsd, limited }), refused)
      .catch((error: unknown) => {
        this.#fault ??= error;
      });
  }

  #limitedCaller(): Caller {
    const none = { tokensPerMinute: 0n, monthlyBudgetNanoUsd: 0n };
    const limits = { ...none, requestsPerMinute: BigInt(this.#limit), concurrentRequests: BigInt(concurrent) };
    return { ...freeCaller, keyId: limitedKey, limits, version: this.#version };
  }

  #admitted(one: { id: string; replica: Replica; open: Admitted; hold: bigint; limited: boolean }): void {
    const { id, replica, open, hold, limited } = one;
    const truth: RequestTruth = { hold, possible: new Set([0n]), answered: undefined, begun: false };
    this.truth.requests.set(id, truth);
    const slotHolder = limited ? replica.holder.id : undefined;
    this.#running.push({ id, replica, open, truth, slotHolder });
    if (!limited) return;
    this.truth.admitted(this.#now);
    const atOnce = this.#running.filter(({ slotHolder: by }) => by !== undefined && !this.slots.hasLapsed(by)).length;
    assert.ok(atOnce <= concurrent, `${atOnce} requests are under way at once, and ${concurrent} may be`);
  }

  #oneRunning(): Running | undefined {
    const running = this.#running.filter(({ replica }) => !replica.paused);
    return running[this.random(running.length)];
  }

  /** The first byte goes out. */
  firstByte(): void {
    const running = this.#oneRunning();
    void running?.open.started.then(() => {
      running.truth.begun = true;
    });
  }

  checkpoint(): void {
    const running = this.#oneRunning();
    if (running === undefined) return;
    const cost = BigInt(this.random(Number(running.truth.hold) + 1));
    running.truth.possible.add(cost);
    running.open.checkpoint([], cost);
  }

  /** A request ends: for less than its hold, now and then for more, for nothing, or without a price. */
  end(running = this.#oneRunning()): void {
    if (running === undefined) return;
    const { truth, open } = running;
    const unpriced = this.random(20) === 0;
    const cost = BigInt(this.random(Number(truth.hold) * (this.random(10) === 0 ? 3 : 1) + 1));
    const charged = unpriced ? 0n : cost;
    truth.possible.add(charged);
    const settlement = {
      ...{ outcome: Outcome.COMPLETED, pricing: unpriced ? Pricing.UNPRICED : Pricing.EXACT },
      ...{
        units: [],
        costNanoUsd: charged,
        upstream: "",
        upstreamModel: "",
        rawUsage: nothing,
        attempts: 1,
        status: 200,
      },
    };
    this.#running.splice(this.#running.indexOf(running), 1);
    void open.settle(settlement).then(() => {
      truth.answered = charged;
    });
  }

  flush(): void {
    this.#someone()?.flush();
  }

  async publish(): Promise<void> {
    await this.#someone()?.publish((payload) => {
      if (this.random(100) >= lossPercent) this.metering.publish(payload);
      if (this.random(100) < lossPercent) this.metering.publish(payload);
    });
  }

  apply(): void {
    this.metering.apply(crashPercent);
  }

  confirm(): void {
    this.#someone()?.confirm(this.metering.applied);
  }

  tick(): void {
    for (const replica of this.#replicas) if (!replica.paused) replica.tick();
  }

  reap(): void {
    this.store.reap();
    this.slots.reap();
  }

  /** A process dies, and another starts. */
  crash(): void {
    const at = this.random(this.#replicas.length);
    const [replica] = this.#replicas.splice(at, 1);
    if (replica === undefined) return;
    this.#volume.push(...replica.crash());
    this.#running = this.#running.filter((running) => running.replica !== replica);
    this.#start();
  }

  adopt(): void {
    const [remains] = this.#volume.splice(this.random(this.#volume.length), 1);
    const replica = this.#someone();
    if (remains === undefined) return;
    if (replica === undefined) this.#volume.push(remains);
    else replica.adopt(remains);
  }

  leave(): void {
    this.#someone()?.leave();
  }

  pause(): void {
    const replica = this.#someone();
    if (replica !== undefined) replica.pausedUntil = this.#now + this.random(40_000);
  }

  /** The database's clock is set back, or a process's either way. */
  jump(): void {
    const replica = this.#someone();
    if (replica !== undefined) replica.wallOffsetMs += this.random(200_000) - 100_000;
    if (this.random(4) === 0) this.#storeBehindMs += this.random(3_000);
  }

  wipe(): void {
    this.metering.wipe();
  }

  /** Somebody changes the limited key; who holds slots hears of it, or not. */
  changeLimit(): void {
    this.#limit = 3 + this.random(this.random(2) === 0 ? 6 : 40);
    this.#version++;
    this.truth.limitIs(this.#limit, this.#now);
    for (const one of this.#replicas) this.network.tell(one, "key changed", () => void one.key.bringAllHome());
  }

  /** @throws what went wrong since the last look */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  checkBooks(): void {
    this.store.check();
  }

  /** All is well from now on; goes on until nothing is under way, and compares the books with the truth. */
  async finish(): Promise<void> {
    this.network.heal();
    this.#now += 40_000;
    for (let round = 0; round < 400 && !this.#quiet; round++) {
      for (const running of [...this.#running]) this.end(running);
      for (let n = 0; n < 40 && this.network.deliver() !== undefined; n++) await settled();
      while (this.#volume.length > 0) this.adopt();
      for (const replica of this.#replicas) {
        replica.flush();
        await settled();
        await replica.publish((payload) => this.metering.publish(payload));
        replica.recallMoney(accountId);
        replica.leave();
      }
      while (this.metering.waiting > 0) this.metering.apply(0);
      for (const replica of this.#replicas) replica.confirm(this.metering.applied);
      this.#now += 1_000;
      this.tick();
      await settled();
    }
    assert.ok(this.#quiet, `it never comes to rest: ${this.#unrest}`);
    this.#compare();
  }

  get #quiet(): boolean {
    return this.#unrest === "";
  }

  /** What is still under way. */
  get #unrest(): string {
    const { held } = this.store.account.money;
    const parts = [
      held > 0n ? `${held} held by ${this.store.holdersOfMoney().join(" and ")}` : "",
      this.network.size > 0 ? `${this.network.size} messages` : "",
      this.#running.length > 0 ? `${this.#running.length} requests` : "",
      ...this.#replicas.map(({ idle, name }) => (idle ? "" : `${name} is busy`)),
    ];
    return parts.filter((part) => part !== "").join(", ");
  }

  #compare(): void {
    const bills = this.store.bills();
    for (const requestId of new Set([...this.truth.requests.keys(), ...bills.keys()]))
      this.truth.check(requestId, bills.get(requestId));
    const cost = [...bills.values()].reduce((sum, one) => sum + one, 0n);
    assert.equal(this.metering.requests, bills.size, "the usage counts as many requests as the ledger");
    assert.equal(this.metering.costNanoUsd, cost, "the usage costs as much as the ledger says");
    assert.deepEqual(this.store.audit(), []);
  }
}

const freeCaller: Caller = {
  keyId: "key_free",
  accountId,
  models: [],
  expiresAtMs: 0n,
  limits: undefined,
  version: 1n,
};

const requestOf = (caller: Caller): Omit<AdmitRequest, "requestId" | "holdNanoUsd"> => ({
  ...{ caller, operation: "chat.completions", model: "m", tokens: 1, priceVersion: "v1", stream: true },
});
