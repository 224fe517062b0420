import assert from "node:assert/strict";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { DatabaseClock } from "@uag/mongo/database-clock";
import { Archives } from "./archives.ts";
import { clockError } from "./clock-error.ts";
import { compareBooks } from "./compare.ts";
import { Deaths, type Source } from "./crash-counts.ts";
import { EnvelopeClients } from "./envelope-clients.ts";
import { Envelopes } from "./envelopes.ts";
import { epochMs, untilClosedMs } from "./epoch.ts";
import { Metering } from "./metering.ts";
import { Network } from "./network.ts";
import { Permits } from "./permits.ts";
import type { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { Requests } from "./requests.ts";
import { accountId, Store } from "./store.ts";
import { Tasks } from "./tasks.ts";
import { type Temper, temperOf } from "./temper.ts";
import { Truth } from "./truth.ts";

const dayMs = 86_400_000;
/** Less than most requests hold, so the account is nearly empty; nano-USD. */
const nearEnd = 50n;

/** Runs everything that does not require time to pass. */
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
  readonly archives: Archives;
  readonly requests: Requests;
  readonly tasks: Tasks;
  readonly envelopes: Envelopes;
  readonly deaths = new Deaths(() => this.#accountSources);
  #now = 0;
  readonly #temper: Temper;
  /** Delay of the database's clock, which may be set back but never ahead. */
  #storeBehindMs = 0;
  readonly #billingClock: DatabaseClock;
  /** Error of the clock of billing's process, milliseconds. */
  #billingOffsetMs = 0;
  readonly #processes: Replicas;
  readonly #envelopeClients: EnvelopeClients;

  constructor(seed: number) {
    const next = seededRandom(seed);
    this.random = (below) => Math.floor(next() * below);
    const storeNow = (): number => Math.round(this.#now - this.#storeBehindMs + epochMs);
    this.#temper = temperOf(this.random);
    const { lossPercent, writeOffLimit } = this.#temper;
    this.network = new Network({ random: this.random, lossPercent });
    this.#billingClock = new DatabaseClock({
      read: async () => storeNow(),
      clock: { now: () => storeNow() + this.#billingOffsetMs, monotonic: () => this.#now },
      changed: () => undefined,
    });
    const rowTime = (): number => this.#billingClock.now();
    this.envelopes = new Envelopes(this.random, storeNow);
    const recall = (): void => this.#processes.recallMoney();
    this.store = new Store({ now: storeNow, rowTime, writeOffLimit, recall, envelopes: this.envelopes });
    this.permits = new Permits(storeNow);
    const now = (): number => this.#now;
    const { random, truth, permits, deaths, envelopes } = this;
    this.archives = new Archives({ random, now, databaseNow: storeNow }, this.store.entries);
    this.metering = new Metering(this.store, random, (event) => this.archives.usage.months.insert(event));
    const isBilled = (requestId: string): boolean => this.store.isBilled(requestId);
    this.requests = new Requests({ random, truth, permits, deaths, isBilled, envelopes, now });
    const { store, network, requests } = this;
    const hasOpenGrant = (id: string): boolean => store.hasOpenGrant(id);
    this.tasks = new Tasks({ random, truth, deaths, now, hasOpenGrant, caller: () => requests.taskCaller() });
    this.#envelopeClients = new EnvelopeClients({ network, envelopes, recall, opener: () => requests.someCaller() });
    const storeBehindMs = (): number => this.#storeBehindMs;
    const died = (replica: Replica): void => this.requests.forget(replica);
    this.#processes = new Replicas({ random, network, store, permits, now, storeBehindMs, died });
  }

  /** Lets billing learn the database's time, as it does before each transaction. */
  async begins(): Promise<void> {
    const isFirst = this.#now === 0 && this.store.money.toppedUp === 0n;
    await this.#billingClock.moment();
    if (isFirst) this.store.topUp(2_000n, 1);
  }

  /** The sources of funds that the account is short of. */
  get #accountSources(): Source[] {
    const { available, writtenOff } = this.store.account.money;
    return [
      ...(available < nearEnd ? (["account-end"] as const) : []),
      ...(writtenOff > 0n ? (["owing"] as const) : []),
    ];
  }

  /** Number of processes that died. */
  get crashes(): number {
    return this.#processes.crashes;
  }

  get #replicas(): Replica[] {
    return this.#processes.all;
  }

  /** Whether this failure is skipped. */
  get #spared(): boolean {
    return this.#temper.calm && this.random(10) > 0;
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
    const replica = this.#processes.someone;
    if (replica !== undefined) this.requests.begin(replica);
  }

  beginTask(): void {
    this.tasks.begin(this.#processes.someone);
  }

  goOnWithTask(): void {
    this.tasks.goOn(this.#processes.someone);
  }

  openEnvelope(): void {
    this.#envelopeClients.open(this.#processes.someone);
  }

  closeEnvelope(): void {
    this.#envelopeClients.close(this.#processes.someone);
  }

  firstByte(): void {
    this.requests.firstByte();
  }

  checkpoint(): void {
    this.requests.checkpoint();
  }

  disconnect(): void {
    this.requests.disconnect();
  }

  end(): void {
    this.requests.end();
  }

  flush(): void {
    this.#processes.someone?.flush();
  }

  async publish(): Promise<void> {
    const { lossPercent } = this.#temper;
    await this.#processes.someone?.publish((payload) => {
      if (this.random(100) >= lossPercent) this.metering.publish(payload);
      if (this.random(100) < lossPercent) this.metering.publish(payload);
    });
  }

  apply(): void {
    this.metering.apply(this.#temper.crashPercent);
  }

  confirm(): void {
    this.#processes.someone?.confirm(this.metering.applied);
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
    if (!this.#spared) this.#processes.crash();
  }

  /** Reboots a machine, and so all of its processes. */
  reboot(): void {
    if (!this.#spared) this.#processes.reboot();
  }

  adopt(): void {
    this.#processes.someone?.adopt();
  }

  /** Makes writing, or opening files, fail until the disk is repaired. */
  breakDisk(): void {
    if (this.#spared) return;
    if (this.random(2) === 0) this.#processes.volume.full = true;
    else this.#processes.volume.exhausted = true;
  }

  mendDisk(): void {
    this.#processes.volume.full = false;
    this.#processes.volume.exhausted = false;
  }

  /** A cleaner of old files removes the lock of a live process. */
  removeLock(): void {
    const replica = this.#processes.someone;
    if (replica !== undefined) this.#processes.volume.removeLock(replica);
  }

  suspend(): void {
    if (!this.#spared) this.#processes.someone?.suspend(this.random(40_000));
  }

  pause(): void {
    const replica = this.#spared ? undefined : this.#processes.someone;
    if (replica !== undefined) replica.pausedUntil = this.#now + this.random(40_000);
  }

  /**
   * Sets the database's clock back by up to 3 s, and that of billing, a replica or an archiver
   * 14 h or 400 days ahead, to any time within 400 days, or right again.
   */
  jump(): void {
    const replica = this.#processes.someone;
    if (replica !== undefined)
      replica.wallOffsetMs = this.random(4) === 0 ? clockError(this.random) : this.random(4_000) - 2_000;
    if (this.random(4) === 0) this.#billingOffsetMs = clockError(this.random);
    if (this.random(2) === 0) this.archives.usage.archivers.jump(clockError(this.random));
    if (this.random(4) === 0) this.#storeBehindMs += this.random(3_000);
    for (const one of this.#replicas) one.storeBehindMs = this.#storeBehindMs;
  }

  /**
   * Runs the next step of a process that archives usage. The ledger is archived at the world's end,
   * when its month is closed.
   */
  async archive(): Promise<void> {
    await this.archives.usage.archivers.step();
  }

  pauseArchiver(): void {
    this.archives.usage.archivers.pause(this.random(20_000));
  }

  killArchiver(): void {
    this.archives.usage.archivers.kill();
  }

  /** Creates the account's invoices. */
  async invoice(): Promise<void> {
    await this.store.invoices.make(this.#billingClock.now());
  }

  wipe(): void {
    this.metering.wipe();
  }

  /** Changes the limited key; its permits' holders may or may not be notified. */
  changeLimit(): void {
    if (this.#spared) return;
    this.requests.changeLimit(3 + this.random(this.random(2) === 0 ? 6 : 40));
    for (const one of this.#replicas) this.network.report(one, "key changed", () => void one.key.returnAll());
  }

  /** @throws the first failure so far */
  check(): void {
    const fault = this.requests.fault ?? this.tasks.fault ?? this.archives.fault;
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
    assert.ok(this.#quiet, `the world does not become idle: ${this.#unrest}`);
    compareBooks(this);
    await this.#checkMonths();
  }

  /** When the month is over and closed, its events are archived and its invoice is complete. */
  async #checkMonths(): Promise<void> {
    const pass = (ms: number): void => {
      this.#now += ms;
    };
    // Requests from the last minutes belong to the following month.
    for (const ms of [untilClosedMs, dayMs * 31]) {
      pass(ms);
      await this.archives.archiveAll(pass);
    }
    this.archives.check(this.metering.events);
    await this.store.invoices.check(await this.#billingClock.moment());
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
    // Later rounds resend calls without a response.
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
    assert.deepEqual(this.permits.lentTo(new Set(holders)), [], "no returned permits are still lent");
  }

  get #quiet(): boolean {
    return this.#unrest === "";
  }

  /** A description of everything in flight. */
  get #unrest(): string {
    const { held } = this.store.money;
    const parts = [
      held > 0n ? `${held} held by ${this.store.holdersOfMoney().join(" and ")}` : "",
      this.network.size > 0 ? `${this.network.size} messages` : "",
      this.requests.size > 0 ? `${this.requests.size} requests` : "",
      this.tasks.size > 0 ? `${this.tasks.size} tasks` : "",
      ...this.#processes.volume.journals.filter((name) => !this.#replicas.some((one) => name.endsWith(`@${one.name}`))),
      ...this.#replicas.map(({ idle, name }) => (idle ? "" : `${name} is busy`)),
    ];
    return parts.filter((part) => part !== "").join(", ");
  }
}
