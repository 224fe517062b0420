import { Incarnation } from "@uag/admission/incarnation.ts";
import { admitWithin } from "@uag/admission/limits/admit-within.ts";
import { Holder } from "@uag/admission/limits/holder.ts";
import { KeyLimits } from "@uag/admission/limits/key-limits.ts";
import type { Taken } from "@uag/admission/limits/taken.ts";
import type { Publisher } from "@uag/admission/publish/publisher.ts";
import { completeJournal } from "@uag/admission/recover.ts";
import { outOfReach } from "@uag/admission/refusals.ts";
import { OpenRequest } from "@uag/admission/request.ts";
import type { Setting } from "@uag/admission/setting.ts";
import type { AdmitRequest, Admitted } from "@uag/admission/types.ts";
import type { Clock } from "@uag/kit/clock.ts";
import type { Journal } from "@uag/kit/journal/journal.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { SimulatedJournal } from "./disk.ts";
import type { Network, Peer } from "./network.ts";
import { SimulatedPublisher } from "./publisher.ts";
import type { Slots } from "./slots.ts";
import type { Store } from "./store.ts";

/** What a process leaves on its volume when it dies. */
export interface Remains {
  readonly journal: SimulatedJournal;
  readonly holderId: string;
}

interface Leaving extends Remains {
  readonly holderIds: ReadonlySet<string>;
  readonly publisher: SimulatedPublisher;
  /** Everything it will ever say is on disk. */
  readonly complete: () => boolean;
  closing: boolean;
}

export interface ReplicaOptions {
  readonly name: string;
  readonly network: Network;
  readonly store: Store;
  readonly slots: Slots;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** A whole number from 0 up to and without this one. */
  readonly random: (below: number) => number;
  /** Asks everybody for unspent money. */
  readonly recallMoney: () => void;
  /** Asks everybody else for idle slots. */
  readonly recallSlots: (of: { readonly asker: Replica; readonly kind: number; readonly need: number }) => void;
}

export const limitedKey = "key_limited";
const idleMs = 10_000;
const heartbeatMs = 5_000;
const quiet = (): void => undefined;
const log = { warn: quiet, error: quiet, info: quiet, debug: quiet } as unknown as Logger;

/** One process of a capability service: the real admission, wallets, limits and journal records on a simulated network and disk. */
export class Replica implements Peer {
  readonly name: string;
  alive = true;
  pausedUntil = 0;
  readonly key: KeyLimits;
  readonly holder: Holder;
  readonly #options: ReplicaOptions;
  readonly #clock: Clock;
  readonly #setting: Setting;
  readonly #leaving: Leaving[] = [];
  #current!: Incarnation;
  #fenced: Incarnation[] = [];
  #ids = 0;
  #tickedAt: number;
  #beatAt = 0;
  /** By which this process's wall clock is wrong, milliseconds. */
  wallOffsetMs = 0;

  constructor(options: ReplicaOptions) {
    const { name, network, store, slots, now } = options;
    this.name = name;
    this.#options = options;
    const offset = options.random(1_000_000);
    this.#clock = { now: () => now() + this.wallOffsetMs + 1e12, monotonic: () => now() + offset };
    this.#tickedAt = this.#clock.monotonic();
    this.#setting = {
      ...{ service: "simulated", clock: this.#clock, log, wallet: { requestsAhead: 8 }, beats: false },
      billing: {
        acquire: (request) => {
          let tries = 0;
          return network.call(this, "acquire", () => {
            const answer = store.acquire(request);
            if (!answer.insufficient || answer.held === 0n || ++tries > 2) return answer;
            options.recallMoney();
            return undefined;
          });
        },
        return: (request) => network.call(this, "return", () => store.giveBack(request)),
        heartbeat: ({ holderId }) => network.call(this, "heartbeat", () => store.heartbeat(holderId)),
        closeHolder: ({ holderId }) => network.call(this, "close holder", () => store.closeHolder(holderId)),
        [Symbol.dispose]: quiet,
      },
      publisher: (of) => new SimulatedPublisher(of as never) as unknown as Publisher,
      rest: () => Promise.resolve(),
      quiet: (work) => void work.catch(quiet),
    };
    this.holder = new Holder({
      clock: this.#clock,
      lapsed: () => this.key.lapse(),
      billing: {
        renew: ({ holderId }) => network.call(this, "renew", () => slots.renew(holderId)),
        borrow: (request) => {
          let tries = 0;
          return network.call(this, "borrow", () => {
            const answer = slots.borrow(request, ++tries > 2);
            if (answer === undefined)
              options.recallSlots({ asker: this, kind: request.kind, need: Number(request.need) });
            return answer;
          });
        },
      },
    });
    this.key = new KeyLimits(limitedKey, { holder: this.holder, clock: this.#clock });
    this.#open();
  }

  get paused(): boolean {
    return this.#options.now() < this.pausedUntil;
  }

  #open(): void {
    const journal = new SimulatedJournal();
    this.#current = new Incarnation(this.#setting, {
      holderId: `${this.name}.${++this.#ids}`,
      journal: journal as unknown as Journal,
      fenced: (by) => this.#reopen(by),
    });
    void this.#current.lease.beat();
  }

  #reopen(fenced: Incarnation): void {
    if (fenced !== this.#current) return;
    fenced.end();
    this.#fenced.push(fenced);
    const { holderId } = fenced;
    this.#leaving.push({
      ...{ journal: journalOf(fenced), holderId, holderIds: new Set([holderId]), publisher: publisherOf(fenced) },
      ...{ complete: () => fenced.open.size === 0, closing: false },
    });
    this.#open();
  }

  /** Admits as the real one does, except that it does not wait for a lease. */
  admit(request: AdmitRequest): Promise<Admitted> {
    const of = (caller: Caller): KeyLimits | undefined => {
      if (caller.keyId !== limitedKey) return undefined;
      this.key.learn(caller);
      return this.key;
    };
    return admitWithin({ of }, request, {
      admission: { admit: (asked, taken) => this.#admit(asked, taken) },
      refused: quiet,
    });
  }

  async #admit(request: AdmitRequest, taken: Taken | undefined): Promise<Admitted> {
    const incarnation = this.#current;
    if (!incarnation.lease.live) {
      void incarnation.lease.beat();
      throw outOfReach(new Error("no lease"));
    }
    const account = incarnation.account(request.caller);
    const grant = account.take(request.holdNanoUsd) ?? (await incarnation.waitForGrant(account, request.holdNanoUsd));
    return new OpenRequest(incarnation, request, { account, grant, taken });
  }

  get #incarnations(): readonly Incarnation[] {
    return [this.#current, ...this.#fenced];
  }

  get #publishers(): readonly SimulatedPublisher[] {
    return [publisherOf(this.#current), ...this.#leaving.map(({ publisher }) => publisher)];
  }

  get #journals(): readonly SimulatedJournal[] {
    return [journalOf(this.#current), ...this.#leaving.map(({ journal }) => journal), ...this.#adopting.keys()];
  }

  readonly #adopting = new Map<SimulatedJournal, Remains>();

  /** What a second's timers do. */
  tick(): void {
    const now = this.#clock.monotonic();
    const elapsedMs = now - this.#tickedAt;
    if (elapsedMs < 1_000) return;
    this.#tickedAt = now;
    for (const incarnation of this.#incarnations) incarnation.advance(elapsedMs, idleMs);
    this.#fenced = this.#fenced.filter(({ open }) => open.size > 0);
    this.key.advance(elapsedMs, idleMs);
    if (this.key.holds) this.holder.renew().catch(quiet);
    if (now - this.#beatAt < heartbeatMs) return;
    this.#beatAt = now;
    void this.#current.lease.beat();
  }

  recallMoney(accountId: string): void {
    this.#current.recall(accountId);
  }

  /** One write of each of its journals ends. */
  flush(): void {
    for (const journal of this.#journals) journal.flush();
  }

  async publish(send: (payload: Uint8Array) => void): Promise<void> {
    for (const publisher of this.#publishers) await publisher.publish(send);
  }

  confirm(applied: ReadonlySet<string>): void {
    for (const publisher of this.#publishers) publisher.confirm(applied);
  }

  /** Brings home what a dead process left. */
  adopt(remains: Remains): void {
    const { journal, holderId } = remains;
    this.#adopting.set(journal, remains);
    void completeJournal(journal as never, this.#clock.now()).then(({ holderIds }) => {
      if (!this.alive) return;
      this.#adopting.delete(journal);
      const publisher = new SimulatedPublisher({
        ...{ journal, holderId, batchPrefix: `${holderId}/${this.name}.${++this.#ids}` },
        confirmed: () => void journal.trim(publisher.keepSegment),
      });
      const all = new Set([...holderIds, holderId]);
      this.#leaving.push({ ...remains, publisher, holderIds: all, complete: () => true, closing: false });
    });
  }

  /** Closes holders of which everything is home. */
  leave(): void {
    for (const leaving of this.#leaving) {
      if (leaving.closing || !leaving.complete() || !leaving.publisher.done) continue;
      leaving.closing = true;
      const closing = [...leaving.holderIds].map((holderId) => this.#setting.billing.closeHolder({ holderId }));
      Promise.all(closing).then(
        () => this.#leaving.splice(this.#leaving.indexOf(leaving), 1),
        () => {
          leaving.closing = false;
        },
      );
    }
  }

  /** Dies; answers what is on its volume. */
  crash(): Remains[] {
    this.alive = false;
    for (const { lease } of this.#incarnations) lease[Symbol.dispose]();
    const own = { journal: journalOf(this.#current), holderId: this.#current.holderId };
    const remains: Remains[] = [own, ...this.#leaving, ...this.#adopting.values()];
    for (const { journal } of remains) journal.tear(this.#options.random(journal.waiting + 1));
    return remains.map(({ journal, holderId }) => ({ journal, holderId }));
  }

  /** True when nothing is left of those that went before, and nothing of its own is on its way. */
  get idle(): boolean {
    return this.#leaving.length === 0 && this.#adopting.size === 0 && publisherOf(this.#current).done;
  }
}

const journalOf = ({ journal }: Incarnation): SimulatedJournal => journal as unknown as SimulatedJournal;
const publisherOf = ({ publisher }: Incarnation): SimulatedPublisher => publisher as unknown as SimulatedPublisher;
