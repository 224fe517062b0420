/**
 * An encoder thread: LAME takes some milliseconds per second of audio, too much for an event loop
 * that serves requests.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { workerData } from "node:worker_threads";
import { serveCalls } from "@uag/runtime/concurrency/serve-calls";
import { createEncoder } from "wasm-media-encoders";
import type { Mp3Bytes, Mp3Call } from "./mp3-messages.ts";

type Encoder = Awaited<ReturnType<typeof createEncoder<"audio/mpeg">>>;

const { sampleRate, bitrate } = workerData as { sampleRate: number; bitrate: 64 };
const maxIdle = 16;

const lame = await readFile(fileURLToPath(import.meta.resolve("wasm-media-encoders/wasm/mp3")));
const idle: Encoder[] = [];
const busy = new Map<number, Encoder>();

serveCalls(encode, (bytes) => [bytes.buffer]);

async function encode(call: Mp3Call): Promise<Mp3Bytes> {
  const { id } = call;
  try {
    if (call.kind === "drop") {
      release(id);
      return new Uint8Array();
    }
    const encoder = busy.get(id) ?? (await begin(id));
    // The encoder returns a view of its own memory, which it will reuse.
    if (call.kind === "encode") return new Uint8Array(encoder.encode([floatsOf(call.samples)]));
    const last = new Uint8Array(encoder.finalize());
    release(id);
    return last;
  } catch (cause) {
    // An encoder that failed must not be reused.
    busy.delete(id);
    throw new Error(`the encoder failed: ${String(cause)}`, { cause });
  }
}

async function begin(id: number): Promise<Encoder> {
  const encoder = idle.pop() ?? (await createEncoder("audio/mpeg", lame));
  busy.set(id, encoder);
  encoder.configure({ sampleRate, channels: 1, bitrate });
  return encoder;
}

function release(id: number): void {
  const encoder = busy.get(id);
  busy.delete(id);
  if (encoder !== undefined && idle.length < maxIdle) idle.push(encoder);
}

function floatsOf(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i++) floats[i] = (samples[i] as number) / 32_768;
  return floats;
}
