import assert from "node:assert/strict";
import { seededRandom } from "@uag/kit/seeded-random.ts";
import { DatabaseClock } from "@uag/mongo/database-clock.ts";
import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import { compareBooks } from "./compare.ts";
import { Metering } from "./metering.ts";
import { Network } from "./network.ts";
import { Permits } from "./permits.ts";
import { Replica } from "./replica.ts";
import { Requests } from "./requests.ts";
import { accountId, Store } from "./store.ts";
import { Tasks } from "./tasks.ts";
import { type Temper, temperOf } from "./temper.ts";
import { Truth } from "./truth.ts";
import { Volume } from "./volume.ts";

const replicas = 3;

/** Lets everything happen that does not require time to pass. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * One account, one limited key, a few replicas, an unreliable network and a clock; all from one
 * seed.
 */
export class World {
  readonly random: (below: number) => number;
  readonly truth = new Truth();
  readonly network: Network;
  readonly store: Store;
  readonly permits: Permits;
  readonly metering: Metering;
  readonly requests: Requests;
  readonly tasks: Tasks;
  readonly #volume = new Volume();
  /**
   * Number of boots per machine; in some worlds there are two machines, which share a volume by
   * mistake.
   */
  readonly #boots: number[];
  /** Number of processes that died. */
  crashes = 0;
  #now = 0;
  readonly #temper: Temper;
  /** How far the database's clock is behind: it may be set back, never ahead. */
  #storeBehindMs = 0;
  readonly #billingClock: DatabaseClock;
  /** Error of the clock of billing's process, milliseconds. */
  #billingOffsetMs = 0;
  readonly #replicas: Replica[] = [];
  #ids = 0;

  constructor(seed: number) {
    const next = seededRandom(seed);
    this.random = (below) => Math.floor(next() * below);
    const storeNow = (): number => Math.round(this.#now - this.#storeBehindMs + 1e12);
    this.#temper = temperOf(this.random);
    const { lossPercent, writeOffLimit } = this.#temper;
    this.network = new Network({ random: this.random, lossPercent });
    this.#billingClock = new DatabaseClock({
      read: async () => storeNow(),
      clock: { now: () => storeNow() + this.#billingOffsetMs, monotonic: () => this.#now },
      changed: () => undefined,
    });
    const rowTime = (): number => this.#billingClock.now();
    this.store = new Store({ now: storeNow, rowTime, writeOffLimit, recall: () => this.#recallMoney() });
    this.permits = new Permits(storeNow);
    this.metering = new Metering(this.store, this.random);
    const now = (): number => this.#now;
    this.requests = new Requests({ random: this.random, truth: this.truth, permits: this.permits, now });
    this.tasks = new Tasks({
      random: this.random,
      truth: this.truth,
      now,
      hasOpenGrant: (id) => this.store.hasOpenGrant(id),
      callers: this.requests,
    });
    this.#boots = this.random(2) === 0 ? [0] : [0, 0];
    for (let n = 0; n < replicas; n++) this.#start(n % this.#boots.length);
  }

  /** Lets billing learn the database's time, as it does before each transaction. */
  async begins(): Promise<void> {
    const isFirst = this.#now === 0 && this.store.money.toppedUp === 0n;
    await this.#billingClock.moment();
    if (isFirst) this.store.topUp(2_000n, 1);
  }

  #start(node: number): void {
    const { random, network, store, permits } = this;
    const kernel = { node: String(node), boot: `${node}.${this.#boots[node]}` };
    const replica: Replica = new Replica({
      name: `p${++this.#ids}`,
      kernel,
      volume: this.#volume,
      network,
      store,
      permits,
      random,
      now: () => this.#now,
      recallMoney: () => this.#recallMoney(),
      recallPermits: ({ borrower, kind, need }) => {
        const name = kind === LimitKind.REQUESTS ? "requests" : "concurrency";
        for (const one of this.#replicas)
          if (one !== borrower) network.report(one, "recall permits", () => void one.key.returnIdle(name, need));
      },
    });
    replica.storeBehindMs = this.#storeBehindMs;
    this.#replicas.push(replica);
  }

  #recallMoney(): void {
    for (const one of this.#replicas) this.network.report(one, "recall", () => one.recallMoney(accountId));
  }

  /** Whether this failure is skipped. */
  get #spared(): boolean {
    return this.#temper.calm && this.random(10) > 0;
  }

  #someone(): Replica | undefined {
    const awake = this.#replicas.filter(({ paused }) => !paused);
    return awake[this.random(awake.length)];
  }

  pass(): void {
    const which = this.random(100);
    if (which === 0) this.#now += this.#spared ? 0 : this.random(20_000);
    else if (which > this.#temper.longPercent) this.#now += this.random(5);
    else this.#now += this.random(this.random(3) === 0 ? 1_500 : 300);
  }

  topUp(): void {
    this.store.topUp(BigInt(1 + this.random(1_200)), 1 + this.random(2));
  }

  begin(): void {
    const replica = this.#someone();
    if (replica !== undefined) this.requests.begin(replica);
  }

  beginTask(): void {
    this.tasks.begin(this.#someone());
  }

  goOnWithTask(): void {
    this.tasks.goOn(this.#someone());
  }

  firstByte(): void {
    this.requests.firstByte();
  }

  checkpoint(): void {
    this.requests.checkpoint();
  }

  leave(): void {
    this.requests.leave();
  }

  end(): void {
    this.requests.end();
  }

  flush(): void {
    this.#someone()?.flush();
  }

  async publish(): Promise<void> {
    const { lossPercent } = this.#temper;
    await this.#someone()?.publish((payload) => {
      if (this.random(100) >= lossPercent) this.metering.publish(payload);
      if (this.random(100) < lossPercent) this.metering.publish(payload);
    });
  }

  apply(): void {
    this.metering.apply(this.#temper.crashPercent);
  }

  confirm(): void {
    this.#someone()?.confirm(this.metering.applied);
  }

  tick(): void {
    for (const replica of this.#replicas) if (!replica.paused) replica.tick();
  }

  reap(): void {
    this.requests.endOverdue();
    this.store.reap();
    this.permits.reap();
  }

  /** Kills a process and starts another. */
  crash(): void {
    if (!this.#spared) this.#crash(this.random(this.#replicas.length));
  }

  #crash(at: number): void {
    const [replica] = this.#replicas.splice(at, 1);
    if (replica === undefined) return;
    this.crashes++;
    replica.crash();
    this.requests.forget(replica);
    this.#start(Number(replica.kernel.node));
  }

  /** Reboots a machine, and so all of its processes. */
  reboot(): void {
    if (this.#spared) return;
    const node = this.random(this.#boots.length);
    this.#boots[node] = (this.#boots[node] ?? 0) + 1;
    const of = this.#replicas.filter(({ kernel }) => kernel.node === String(node));
    for (const replica of of) this.#crash(this.#replicas.indexOf(replica));
  }

  adopt(): void {
    this.#someone()?.adopt();
  }

  /** Makes writing, or opening files, fail until the disk is repaired. */
  breakDisk(): void {
    if (this.#spared) return;
    if (this.random(2) === 0) this.#volume.full = true;
    else this.#volume.exhausted = true;
  }

  mendDisk(): void {
    this.#volume.full = false;
    this.#volume.exhausted = false;
  }

  /** A cleaner of old files removes the lock of a live process. */
  removeLock(): void {
    const replica = this.#someone();
    if (replica !== undefined) this.#volume.removeLock(replica);
  }

  suspend(): void {
    if (!this.#spared) this.#someone()?.suspend(this.random(40_000));
  }

  pause(): void {
    const replica = this.#spared ? undefined : this.#someone();
    if (replica !== undefined) replica.pausedUntil = this.#now + this.random(40_000);
  }

  /**
   * Sets the database's clock back by up to 3 s, and that of billing or a replica to any time
   * within 400 days, or right again.
   */
  jump(): void {
    const offset = (): number => (this.random(2) === 0 ? 0 : this.random(69_120_000_000) - 34_560_000_000);
    const replica = this.#someone();
    if (replica !== undefined) replica.wallOffsetMs = this.random(4) === 0 ? offset() : this.random(4_000) - 2_000;
    if (this.random(4) === 0) this.#billingOffsetMs = offset();
    if (this.random(4) === 0) this.#storeBehindMs += this.random(3_000);
    for (const one of this.#replicas) one.storeBehindMs = this.#storeBehindMs;
  }

  wipe(): void {
    this.metering.wipe();
  }

  /** Changes the limited key; holders of permits may or may not be told. */
  changeLimit(): void {
    if (this.#spared) return;
    this.requests.changeLimit(3 + this.random(this.random(2) === 0 ? 6 : 40));
    for (const one of this.#replicas) this.network.report(one, "key changed", () => void one.key.returnAll());
  }

  /** @throws the first failure so far */
  check(): void {
    const fault = this.requests.fault ?? this.tasks.fault;
    if (fault !== undefined) throw fault;
  }

  checkBooks(): void {
    this.store.check();
  }

  /**
   * Ends all failures, continues until nothing is in flight, and compares the books with the truth.
   */
  async finish(): Promise<void> {
    this.network.heal();
    this.mendDisk();
    this.#setClocks();
    await this.#bringPermitsHome();
    this.#now += 40_000;
    for (let round = 0; round < 400; round++) {
      await this.begins();
      this.requests.endAll();
      for (const replica of this.#replicas) this.tasks.goOnWithAll(replica);
      // Two replicas that cannot see each other's locks would adopt from each other for ever, so
      // they take turns.
      this.#replicas[Math.floor(round / 10) % this.#replicas.length]?.adopt();
      await settled();
      while (this.network.deliver() !== undefined) await settled();
      for (const replica of this.#replicas) {
        replica.flush();
        await settled();
        await replica.publish((payload) => this.metering.publish(payload));
        replica.recallMoney(accountId);
      }
      while (this.metering.waiting > 0) this.metering.apply(0);
      for (const replica of this.#replicas) replica.confirm(this.metering.applied);
      await settled();
      if (this.#quiet) break;
      this.#now += 2_000;
      await this.begins();
      this.tick();
      this.reap();
    }
    assert.ok(this.#quiet, `it never comes to rest: ${this.#unrest}`);
    compareBooks(this);
  }

  /** Sets every clock right. */
  #setClocks(): void {
    this.#billingOffsetMs = 0;
    for (const one of this.#replicas) one.wallOffsetMs = 0;
  }

  /**
   * Returns every permit; none may be lent afterwards, or it would be lost for as long as its
   * holder lives.
   */
  async #bringPermitsHome(): Promise<void> {
    this.#now = Math.max(this.#now, ...this.#replicas.map(({ pausedUntil }) => pausedUntil));
    // Later rounds resend calls that were never answered.
    for (let round = 0; round < 3; round++) {
      this.#now += 1_000;
      await this.begins();
      this.tick();
      for (const { key } of this.#replicas) void key.returnAll();
      do {
        this.network.deliver();
        this.requests.endAll();
        for (const replica of this.#replicas) replica.flush();
        await settled();
      } while (this.network.size > 0);
    }
    const holders = this.#replicas.map(({ holder }) => holder.id);
    assert.deepEqual(this.permits.lentTo(new Set(holders)), [], "permits that were given back are still lent");
  }

  get #quiet(): boolean {
    return this.#unrest === "";
  }

  /** A description of everything still in flight. */
  get #unrest(): string {
    const { held } = this.store.money;
    const parts = [
      held > 0n ? `${held} held by ${this.store.holdersOfMoney().join(" and ")}` : "",
      this.network.size > 0 ? `${this.network.size} messages` : "",
      this.requests.size > 0 ? `${this.requests.size} requests` : "",
      this.tasks.size > 0 ? `${this.tasks.size} tasks` : "",
      ...this.#volume.journals.filter((name) => !this.#replicas.some((one) => name.endsWith(`@${one.name}`))),
      ...this.#replicas.map(({ idle, name }) => (idle ? "" : `${name} is busy`)),
    ];
    return parts.filter((part) => part !== "").join(", ");
  }
}
