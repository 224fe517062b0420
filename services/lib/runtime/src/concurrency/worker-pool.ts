import { type ResourceLimits, Worker } from "node:worker_threads";
import type { WorkerReply } from "./serve-calls.ts";

/** The program of a pool's threads, and their bounds. */
export interface WorkerPoolOptions {
  /** The module of a thread, which calls `serveCalls`. */
  readonly module: URL;
  /** Maximum number of threads; each is started on first use. */
  readonly max: number;
  readonly workerData?: unknown;
  readonly resourceLimits?: ResourceLimits;
}

/** Calls to one thread. Disposing it leaves the thread to others. */
export interface WorkerLease<Q, A> extends Disposable {
  /**
   * Calls of a thread run one after another.
   * @param transfer buffers of the request that are moved to the thread
   * @throws {Error} when the call fails or its thread exits
   */
  call(request: Q, transfer?: ArrayBuffer[]): Promise<A>;
}

/**
 * Worker threads, each of which may keep state for its leases. The process stays alive for calls
 * in progress, not for idle threads.
 */
export class WorkerPool<Q, A> implements AsyncDisposable {
  readonly max: number;
  readonly #options: WorkerPoolOptions;
  #threads: Thread<Q, A>[] = [];

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.max = options.max;
  }

  /** A lease of the thread with the fewest; a thread that exited is replaced. */
  lease(): WorkerLease<Q, A> {
    const thread = this.#leastLeased();
    const lease: WorkerLease<Q, A> = {
      call: (request, transfer) => thread.call(request, transfer),
      [Symbol.dispose]: () => thread.leases.delete(lease),
    };
    thread.leases.add(lease);
    return lease;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  #leastLeased(): Thread<Q, A> {
    this.#threads = this.#threads.filter((thread) => !thread.exited);
    const [best] = this.#threads.toSorted((a, b) => a.leases.size - b.leases.size);
    if (best !== undefined && (best.leases.size === 0 || this.#threads.length >= this.max)) return best;
    const thread = new Thread<Q, A>(this.#options);
    this.#threads.push(thread);
    return thread;
  }
}

class Thread<Q, A> {
  readonly leases = new Set<WorkerLease<Q, A>>();
  exited = false;
  readonly #worker: Worker;
  /** Calls without a reply, in the order in which the thread replies. */
  readonly #pending: PromiseWithResolvers<A>[] = [];

  constructor({ module, workerData, resourceLimits = {} }: WorkerPoolOptions) {
    this.#worker = new Worker(module, { workerData, resourceLimits });
    this.#worker.unref();
    this.#worker.on("message", (reply: WorkerReply<A>) => this.#settle(reply));
    this.#worker.on("error", (error) => this.#exit(error));
    this.#worker.on("exit", (code) => this.#exit(new Error(`the worker thread exited with code ${code}`)));
  }

  async call(request: Q, transfer: ArrayBuffer[] = []): Promise<A> {
    if (this.exited) throw new Error("the worker thread exited");
    this.#worker.postMessage(request, transfer);
    const reply = Promise.withResolvers<A>();
    this.#pending.push(reply);
    this.#worker.ref();
    return await reply.promise;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: WorkerReply<A>): void {
    const pending = this.#pending.shift();
    if (this.#pending.length === 0) this.#worker.unref();
    if ("failed" in reply) pending?.reject(new Error(reply.failed));
    else pending?.resolve(reply.value);
  }

  #exit(error: unknown): void {
    this.exited = true;
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }
}
