import { sampleRate } from "@uag/providers/speech/types";
import { WorkerPool } from "@uag/runtime/concurrency/worker-pool";
import type { Mp3Bytes, Mp3Call } from "./mp3-messages.ts";

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

/** MP3 encoders on threads of their own, which are started on first use. */
export class Mp3Encoders implements AsyncDisposable {
  readonly #pool: WorkerPool<Mp3Call, Mp3Bytes>;
  #lastId = 0;

  /** @param max number of threads */
  constructor(max: number) {
    const module = new URL("mp3-worker.ts", import.meta.url);
    this.#pool = new WorkerPool({ module, max, workerData: { sampleRate, bitrate } });
  }

  open(): Mp3Encoder {
    const id = ++this.#lastId;
    const lease = this.#pool.lease();
    let isOpen = true;
    const close = (): void => {
      isOpen = false;
      lease[Symbol.dispose]();
    };
    return {
      async encode(pcm) {
        const samples = new Int16Array(pcm.length >> 1);
        Buffer.from(samples.buffer).set(pcm.subarray(0, samples.byteLength));
        return bufferOf(await lease.call({ id, kind: "encode", samples }, [samples.buffer]));
      },
      async finish() {
        const bytes = await lease.call({ id, kind: "finish" });
        close();
        return bufferOf(bytes);
      },
      drop() {
        if (!isOpen) return;
        close();
        // A thread that exited has dropped the speech.
        lease.call({ id, kind: "drop" }).catch(() => {});
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}

const bufferOf = ({ buffer, length }: Mp3Bytes): Buffer => Buffer.from(buffer, 0, length);
