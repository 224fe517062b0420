import assert from "node:assert/strict";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { CredentialHealth } from "@uag/providers/credentials/credential-health";
import { type Clock, maxSkewMs } from "@uag/runtime/clock";
import type { Logger } from "@uag/runtime/log";
import { Admitter } from "@uag/usage/admitter";
import { Adopter } from "@uag/usage/adopt";
import type { Journal } from "@uag/usage/journal/journal";
import type { Kernel } from "@uag/usage/journal/kernel";
import { CallerLimits } from "@uag/usage/limits/caller-limits";
import { Holder } from "@uag/usage/limits/holder";
import { ScopeLimits } from "@uag/usage/limits/scope-limits";
import type { Publisher } from "@uag/usage/publish/publisher";
import type { SessionDependencies } from "@uag/usage/session-dependencies";
import { Succession } from "@uag/usage/succession";
import { billingOf, limitsOf } from "./billing.ts";
import type { SimulatedJournal } from "./disk.ts";
import { epochMs } from "./epoch.ts";
import type { Peer } from "./network.ts";
import { SimulatedPublisher } from "./publisher.ts";
import type { ReplicaOptions } from "./replica-options.ts";
import { Timers } from "./timers.ts";
import type { Owner } from "./volume.ts";

export const limitedKey = "key_limited";
const idleMs = 10_000;
const heartbeatMs = 5_000;
/** A heartbeat's response may be as old as a lease lasts, and the database's clock may be set. */
const undetectedMs = 20_000;
const quiet = (): void => undefined;
const log = { warn: quiet, error: quiet, info: quiet, debug: quiet } as unknown as Logger;
const counter = { inc: quiet };
const meters = { fromMemory: counter, fromBilling: counter, crashed: counter, waited: { observe: quiet } };

/**
 * One process of a capability service: the real admission, from its holders to its adopter, on a
 * simulated network and disk.
 */
export class Replica implements Peer, Owner {
  readonly name: string;
  readonly kernel: Kernel;
  alive = true;
  pausedUntil = 0;
  readonly key: ScopeLimits;
  readonly holder: Holder;
  /** Which credentials of the pool cool down, as this process knows. */
  readonly credentials: CredentialHealth;
  readonly #options: ReplicaOptions;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #dependencies: SessionDependencies;
  readonly #succession: Succession;
  readonly admitter: Admitter;
  readonly #adopter: Adopter;
  readonly #journals = new Set<SimulatedJournal>();
  #publishers: SimulatedPublisher[] = [];
  #ids = 0;
  #tickedAt: number;
  #beatAt = 0;
  /** Error of this process's wall clock, milliseconds. */
  wallOffsetMs = 0;
  /** Delay of the database's clock, which this process's clock follows. */
  storeBehindMs = 0;
  /** Total time of its machine's suspensions, during which its monotonic clock stopped. */
  #suspendedMs = 0;

  constructor(options: ReplicaOptions) {
    const { name, kernel, now, volume } = options;
    this.name = name;
    this.kernel = kernel;
    this.#options = options;
    const offset = options.random(1_000_000);
    const monotonic = (): number => now() + offset - this.#suspendedMs;
    this.#clock = { now: () => now() + this.wallOffsetMs - this.storeBehindMs + epochMs, monotonic };
    this.#tickedAt = monotonic();
    this.#timers = new Timers(monotonic);
    this.credentials = new CredentialHealth(this.#clock);
    this.#dependencies = this.#makeDependencies();
    const { signal } = new AbortController();
    const journals = volume.journalsOf(this);
    const newHolderId = (): string => `${name}.${++this.#ids}`;
    const create = async (id: string): Promise<Journal> => this.#watched(await journals.create(id));
    this.#succession = new Succession({ dependencies: this.#dependencies, create, newHolderId, idleMs, signal });
    const parts = { dependencies: this.#dependencies, succession: this.#succession };
    this.admitter = new Admitter({ ...parts, limits: this.#limits, meters: { ...meters, refused: quiet } });
    const take: typeof journals.take = async (one) => {
      const journal = await journals.take(one);
      return journal && this.#watched(journal);
    };
    const adopting = { ...parts, journals: { ...journals, take }, owner: name, signal };
    this.#adopter = new Adopter({ ...adopting, meters: { ...meters, waiting: quiet } });
    this.holder = new Holder({ clock: this.#clock, lapsed: () => this.key.lapse(), billing: limitsOf(this, options) });
    this.key = new ScopeLimits(limitedKey, { holder: this.holder, clock: this.#clock });
    void this.#succession.begin(newHolderId());
  }

  #makeDependencies(): SessionDependencies {
    return {
      service: "simulated",
      clock: this.#clock,
      log,
      wallet: { requestsAhead: 8 },
      beats: false,
      billing: billingOf(this, this.#options),
      publisher: (of) => {
        const publisher = new SimulatedPublisher(of as never);
        this.#publishers.push(publisher);
        return publisher as unknown as Publisher;
      },
      delay: this.#timers.delay,
      quiet: (work) => void work.catch(quiet),
    };
  }

  /** Lets the simulator complete the writes of this process's open journals. */
  #watched(journal: Journal): Journal {
    this.#journals.add(journal as unknown as SimulatedJournal);
    return journal;
  }

  /** Whether its error exceeds the tolerance plus the uncertainty of a heartbeat. */
  get clockIsWrong(): boolean {
    return Math.abs(this.wallOffsetMs) > maxSkewMs + undetectedMs;
  }

  get paused(): boolean {
    return this.#options.now() < this.pausedUntil;
  }

  /** Suspends its machine from now on. */
  suspend(ms: number): void {
    this.pausedUntil = this.#options.now() + ms;
    this.#suspendedMs += ms;
  }

  /** The limits of the only limited key. */
  readonly #limits = {
    of: (caller: Caller): CallerLimits | undefined => {
      if ((caller.rootKeyId ?? caller.keyId) !== limitedKey) return undefined;
      this.key.learn(caller);
      return new CallerLimits([this.key], this.#clock);
    },
  };

  /** Fires the timers. */
  tick(): void {
    this.#timers.fireDue();
    const now = this.#clock.monotonic();
    const elapsedMs = now - this.#tickedAt;
    if (elapsedMs < 1_000) return;
    this.#tickedAt = now;
    this.#succession.advance();
    this.#checkHoards();
    this.key.advance(elapsedMs, idleMs);
    if (this.key.holds) this.holder.renew().catch(quiet);
    if (now - this.#beatAt < heartbeatMs) return;
    this.#beatAt = now;
    void this.#succession.current?.lease.beat();
  }

  recallMoney(accountId: string): void {
    this.#succession.recall(accountId);
  }

  /** Completes one write of each of its journals. */
  flush(): void {
    for (const journal of this.#journals) {
      journal.flush();
      if (journal.ended) this.#journals.delete(journal);
    }
  }

  async publish(send: (payload: Uint8Array) => void): Promise<void> {
    this.#publishers = this.#publishers.filter(({ stopped }) => !stopped);
    for (const publisher of this.#publishers) await publisher.publish(send);
  }

  confirm(applied: ReadonlySet<string>): void {
    for (const publisher of this.#publishers) publisher.confirm(applied);
  }

  /** Looks for journals of dead processes. */
  adopt(): void {
    this.#dependencies.quiet(this.#adopter.poll());
  }

  crash(): void {
    this.alive = false;
    for (const { lease } of this.#succession.all) lease[Symbol.dispose]();
    for (const journal of this.#journals) journal.tear(this.#options.random(journal.waiting + 1));
  }

  /** Fenced holders must return unused money, because other holders may be refused for lack of it. */
  #checkHoards(): void {
    const past = this.#succession.all.filter((one) => one !== this.#succession.current);
    const hoards = past.some(({ accounts }) => [...accounts].some(({ wallet }) => wallet.usable > 0n));
    assert.ok(!hoards, `${this.name} was fenced and keeps unused money`);
  }

  /** True when nothing is left of previous holder sessions, and nothing of its own is in flight. */
  get idle(): boolean {
    const { all } = this.#succession;
    return (
      all.length === 1 && all.every(({ publisher, open }) => publisher.done && open.size === 0) && this.#adopter.idle
    );
  }
}
