import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@uag/kit/bus.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { JsMsg } from "nats";
import { ensureTopology, type TopologyOptions } from "./topology.ts";

const fetchedAtOnce = 64;
const mostWaiting = 128;
const fetchMs = 5_000;
const restMs = 500;

/** Tells the broker again and again that messages are here and in work, so that it gives them to nobody else. */
export function keepWorking(messages: () => readonly JsMsg[], everyMs: number): Disposable {
  const timer = setInterval(() => {
    for (const message of messages()) message.working();
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Pulls messages from the shared durable consumer, and makes streams and consumer anew when they are gone. */
export class Inbox implements AsyncDisposable {
  readonly #bus: Bus;
  readonly #topology: TopologyOptions;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #working: Disposable;
  #messages: JsMsg[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(options: { bus: Bus; topology: TopologyOptions; log: Logger; workingMs: number }) {
    this.#bus = options.bus;
    this.#topology = options.topology;
    this.#log = options.log;
    this.#working = keepWorking(() => this.#messages, options.workingMs);
    this.#running = this.#pull();
  }

  /** What has come, at most `most`; waits for the first. Empty once the inbox is closed. */
  async take(most: number): Promise<JsMsg[]> {
    while (this.#messages.length === 0 && !this.#stop.signal.aborted) await this.#changed.promise;
    const taken = this.#messages.splice(0, most);
    this.#notify();
    return taken;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  async #pull(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await ensureTopology(this.#bus.connection, this.#topology);
        while (!signal.aborted) await this.#fetch();
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error }, "the usage stream cannot be read; trying again");
        await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #fetch(): Promise<void> {
    const { signal } = this.#stop;
    const { names } = this.#topology;
    while (this.#messages.length >= mostWaiting && !signal.aborted) await this.#changed.promise;
    const consumer = await this.#bus.connection.jetstream().consumers.get(names.usage, names.consumer);
    const messages = await consumer.fetch({ max_messages: fetchedAtOnce, expires: fetchMs });
    const close = (): void => messages.stop();
    signal.addEventListener("abort", close, { once: true });
    try {
      for await (const message of messages) {
        this.#messages.push(message);
        this.#notify();
      }
    } finally {
      signal.removeEventListener("abort", close);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#working[Symbol.dispose]();
    this.#notify();
    await this.#running;
  }
}
