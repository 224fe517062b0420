import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import type { Network } from "./network.ts";
import type { Permits } from "./permits.ts";
import { Replica } from "./replica.ts";
import { accountId, type Store } from "./store.ts";
import { Volume } from "./volume.ts";

const replicas = 3;

export interface ReplicasOptions {
  readonly random: (below: number) => number;
  readonly network: Network;
  readonly store: Store;
  readonly permits: Permits;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** Delay of the database's clock, milliseconds. */
  readonly storeBehindMs: () => number;
  /** Called for each process that dies. */
  readonly died: (replica: Replica) => void;
}

/** The processes of a capability service, and the machines on which they run. */
export class Replicas {
  readonly volume = new Volume();
  readonly all: Replica[] = [];
  /** Number of processes that died. */
  crashes = 0;
  /**
   * Number of boots per machine; in some worlds there are two machines, which share a volume by
   * mistake.
   */
  readonly #boots: number[];
  readonly #options: ReplicasOptions;
  #ids = 0;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#boots = options.random(2) === 0 ? [0] : [0, 0];
    for (let n = 0; n < replicas; n++) this.#start(n % this.#boots.length);
  }

  /** Returns a process that is not paused; undefined if all are. */
  get someone(): Replica | undefined {
    const awake = this.all.filter(({ paused }) => !paused);
    return awake[this.#options.random(awake.length)];
  }

  #start(node: number): void {
    const { random, network, store, permits, now, storeBehindMs } = this.#options;
    const kernel = { node: String(node), boot: `${node}.${this.#boots[node]}` };
    const replica: Replica = new Replica({
      name: `p${++this.#ids}`,
      kernel,
      volume: this.volume,
      network,
      store,
      permits,
      random,
      now,
      recallMoney: () => this.recallMoney(),
      recallPermits: ({ borrower, kind, need }) => {
        const name = kind === LimitKind.REQUESTS ? "requests" : "concurrency";
        for (const one of this.all)
          if (one !== borrower) network.report(one, "recall permits", () => void one.key.returnIdle(name, need));
      },
    });
    replica.storeBehindMs = storeBehindMs();
    this.all.push(replica);
  }

  /** Recalls unspent money from all processes. */
  recallMoney(): void {
    for (const one of this.all) this.#options.network.report(one, "recall", () => one.recallMoney(accountId));
  }

  /** Kills a process and starts another. */
  crash(at = this.#options.random(this.all.length)): void {
    const [replica] = this.all.splice(at, 1);
    if (replica === undefined) return;
    this.crashes++;
    replica.crash();
    this.#options.died(replica);
    this.#start(Number(replica.kernel.node));
  }

  /** Reboots a machine, and so all of its processes. */
  reboot(): void {
    const node = this.#options.random(this.#boots.length);
    this.#boots[node] = (this.#boots[node] ?? 0) + 1;
    const of = this.all.filter(({ kernel }) => kernel.node === String(node));
    for (const replica of of) this.crash(this.all.indexOf(replica));
  }
}
