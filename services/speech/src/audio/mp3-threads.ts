import { Worker } from "node:worker_threads";
import { sampleRate } from "@uag/providers/speech/types";
import type { Mp3Reply, Mp3Request } from "./mp3-messages.ts";

/** Kilobits per second: single-channel speech at 24 kHz gains nothing from a higher rate. */
const bitrate = 64;

/** Encodes one speech. */
export interface Mp3Encoder {
  /** @param pcm 16-bit little-endian mono; a whole number of samples */
  encode(pcm: Buffer): Promise<Buffer>;
  /** Returns the last bytes; nothing may be encoded afterwards. */
  finish(): Promise<Buffer>;
  /** Discards an unfinished speech. */
  drop(): void;
}

interface Waiting {
  resolve(bytes: Buffer): void;
  reject(error: Error): void;
}

/** MP3 encoders on threads of their own, which are started on first use. */
export class Mp3Threads implements AsyncDisposable {
  readonly #max: number;
  readonly #threads: EncoderThread[] = [];
  #lastId = 0;

  constructor(max: number) {
    this.#max = max;
  }

  open(): Mp3Encoder {
    const id = ++this.#lastId;
    const thread = this.#leastBusy();
    thread.speeches.add(id);
    return {
      encode: (pcm) => {
        const samples = new Int16Array(pcm.length >> 1);
        Buffer.from(samples.buffer).set(pcm.subarray(0, samples.byteLength));
        return thread.call({ id, kind: "encode", samples }, [samples.buffer]);
      },
      finish: async () => {
        const bytes = await thread.call({ id, kind: "finish" });
        thread.speeches.delete(id);
        return bytes;
      },
      drop: () => {
        if (thread.speeches.delete(id)) thread.post({ id, kind: "drop" });
      },
    };
  }

  #leastBusy(): EncoderThread {
    const living = this.#threads.filter((thread) => !thread.dead);
    const best = living.reduce<EncoderThread | undefined>(
      (min, thread) => (min === undefined || thread.speeches.size < min.speeches.size ? thread : min),
      undefined,
    );
    if (best !== undefined && (best.speeches.size === 0 || living.length >= this.#max)) return best;
    const thread = new EncoderThread();
    this.#threads.splice(0, this.#threads.length, ...living, thread);
    return thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}

class EncoderThread {
  readonly speeches = new Set<number>();
  dead = false;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting[]>();

  constructor() {
    this.#worker = new Worker(new URL("./mp3-thread.ts", import.meta.url), { workerData: { sampleRate, bitrate } });
    this.#worker.unref();
    this.#worker.on("message", (reply: Mp3Reply) => this.#respond(reply));
    this.#worker.on("error", (error) => this.#die(error as Error));
    this.#worker.on("exit", () => this.#die(new Error("the encoder thread exited")));
  }

  call(request: Mp3Request, transfer: ArrayBuffer[] = []): Promise<Buffer> {
    if (this.dead) return Promise.reject(new Error("the encoder thread exited"));
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(request.id);
      if (queue === undefined) this.#waiting.set(request.id, [{ resolve, reject }]);
      else queue.push({ resolve, reject });
      this.post(request, transfer);
    });
  }

  post(request: Mp3Request, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #respond(reply: Mp3Reply): void {
    const queue = this.#waiting.get(reply.id);
    const waiting = queue?.shift();
    if (queue?.length === 0) this.#waiting.delete(reply.id);
    if ("error" in reply) waiting?.reject(new Error(`the encoder failed: ${reply.error}`));
    else waiting?.resolve(Buffer.from(reply.bytes.buffer, 0, reply.bytes.length));
  }

  #die(error: Error): void {
    this.dead = true;
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { reject } of all) reject(error);
  }
}
