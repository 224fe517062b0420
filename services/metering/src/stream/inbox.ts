import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@uag/runtime/bus";
import type { Logger } from "@uag/runtime/log";
import type { Consumer, JsMsg } from "nats";
import { ensureConsumer, ensureStreams, type Source, type TopologyOptions } from "./topology.ts";

/** Per partition; there are many of them. */
const fetchedAtOnce = 8;
const fetchMs = 5_000;
/** From this many on nothing more is fetched; messages already in flight still arrive. */
const maxWaiting = 512;
const maxBytesWaiting = 32 * 1024 * 1024;
const delayMs = 500;
/**
 * How long the first message waits for those right after it, so that many small messages share a
 * transaction.
 */
const gatherMs = 20;

/**
 * Periodically reports to the broker that messages are in progress, so that it does not redeliver them.
 */
export function keepWorking(messages: () => readonly JsMsg[], everyMs: number): Disposable {
  const timer = setInterval(() => {
    for (const message of messages()) message.working();
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Pulls messages of this process's partitions into one queue, and recreates streams and consumers
 * when they are gone.
 */
export class Inbox implements AsyncDisposable {
  readonly #bus: Bus;
  readonly #topology: TopologyOptions;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  /** The sources this process owns; others end with their last fetch. */
  readonly #owned = new Map<Source, AbortController>();
  readonly #pulling = new Set<Promise<void>>();
  readonly #working: Disposable;
  #ensured: { readonly done: Promise<void>; readonly at: number } | undefined;
  readonly #messages: JsMsg[] = [];
  #bytes = 0;
  #changed = Promise.withResolvers<void>();

  constructor(options: { bus: Bus; topology: TopologyOptions; log: Logger; workingMs: number }) {
    this.#bus = options.bus;
    this.#topology = options.topology;
    this.#log = options.log;
    this.#working = keepWorking(() => this.#messages, options.workingMs);
  }

  /**
   * Sets the partitions this process owns. The owner of the first also gets messages without a
   * partition.
   */
  own(partitions: readonly number[]): void {
    if (this.#stop.signal.aborted) return;
    const { names } = this.#topology;
    const sources = new Set(partitions.flatMap((partition) => names.partitions[partition] ?? []));
    if (partitions.includes(0)) sources.add(names.undivided);
    for (const [source, pulling] of this.#owned) {
      if (sources.has(source)) continue;
      pulling.abort();
      this.#owned.delete(source);
    }
    for (const source of sources) {
      if (this.#owned.has(source)) continue;
      const own = new AbortController();
      this.#owned.set(source, own);
      const signal = AbortSignal.any([own.signal, this.#stop.signal]);
      const pulling: Promise<void> = this.#pull(source, signal).finally(() => this.#pulling.delete(pulling));
      this.#pulling.add(pulling);
    }
  }

  /**
   * Takes queued messages, at most `max` and about `maxBytes`; waits for the first. Empty once the
   * inbox is closed.
   */
  async take(max: number, maxBytes: number): Promise<JsMsg[]> {
    // Another caller may have taken the messages during the pause.
    while (this.#messages.length === 0 && !this.#stop.signal.aborted) {
      await this.#changed.promise;
      await this.#delay(gatherMs);
    }
    if (this.#stop.signal.aborted) return [];
    let count = 0;
    let bytes = 0;
    while (count < this.#messages.length && count < max && bytes < maxBytes) {
      bytes += this.#messages[count++]?.data.length ?? 0;
    }
    this.#bytes -= bytes;
    const taken = this.#messages.splice(0, count);
    this.#notify();
    return taken;
  }

  get #full(): boolean {
    return this.#messages.length >= maxWaiting || this.#bytes >= maxBytesWaiting;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  async #delay(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }

  async #pull(source: Source, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#ensure();
        await ensureConsumer(this.#bus.connection, this.#topology, source);
        const { consumers } = this.#bus.connection.jetstream();
        const consumer = await consumers.get(this.#topology.names.usage, source.consumer);
        while (!signal.aborted) await this.#fetch(consumer, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error, consumer: source.consumer }, "reading usage failed; retrying");
        await this.#delay(delayMs);
      }
    }
  }

  /** Shared by all callers within a short time. */
  #ensure(): Promise<void> {
    if (this.#ensured === undefined || performance.now() - this.#ensured.at > delayMs) {
      this.#ensured = { done: ensureStreams(this.#bus.connection, this.#topology), at: performance.now() };
    }
    return this.#ensured.done;
  }

  async #fetch(consumer: Consumer, signal: AbortSignal): Promise<void> {
    while (this.#full && !signal.aborted) await this.#changed.promise;
    if (signal.aborted) return;
    const messages = await consumer.fetch({ max_messages: fetchedAtOnce, expires: fetchMs });
    // A lost partition is still read to the end of the fetch: if it stopped midway, messages in
    // flight would be redelivered only after the acknowledgement deadline.
    const close = (): void => messages.stop();
    this.#stop.signal.addEventListener("abort", close, { once: true });
    try {
      for await (const message of messages) {
        this.#messages.push(message);
        this.#bytes += message.data.length;
        this.#notify();
      }
    } finally {
      this.#stop.signal.removeEventListener("abort", close);
    }
  }

  /**
   * Returns queued messages that are not in progress, so that another process gets them at once.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#working[Symbol.dispose]();
    this.#notify();
    await Promise.all(this.#pulling);
    for (const message of this.#messages.splice(0)) message.nak();
  }
}
