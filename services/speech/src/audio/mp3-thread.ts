/**
 * An encoder thread: LAME takes some milliseconds per second of audio, too much for an event loop
 * that serves requests.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { createEncoder } from "wasm-media-encoders";
import type { Mp3Reply, Mp3Request } from "./mp3-messages.ts";

type Encoder = Awaited<ReturnType<typeof createEncoder<"audio/mpeg">>>;

const { sampleRate, bitrate } = workerData as { sampleRate: number; bitrate: 64 };
const maxIdle = 16;

const lame = await readFile(fileURLToPath(import.meta.resolve("wasm-media-encoders/wasm/mp3")));
const idle: Encoder[] = [];
const busy = new Map<number, Encoder>();

/** Requests are handled one by one, because creating an encoder is asynchronous. */
let queue = Promise.resolve();
parentPort?.on("message", (request: Mp3Request) => {
  queue = queue.then(() => handle(request));
});

async function handle(request: Mp3Request): Promise<void> {
  const { id } = request;
  try {
    if (request.kind === "drop") return release(id);
    const encoder = busy.get(id) ?? (await begin(id));
    if (request.kind === "encode") return reply(id, encoder.encode([floatsOf(request.samples)]));
    reply(id, encoder.finalize());
    release(id);
  } catch (error) {
    // An encoder that failed must not be reused.
    busy.delete(id);
    post({ id, error: String(error) });
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

/** The encoder returns a view of its own memory, which it will reuse. */
function reply(id: number, view: Uint8Array): void {
  const bytes = new Uint8Array(view);
  post({ id, bytes }, [bytes.buffer]);
}

function post(message: Mp3Reply, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function floatsOf(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i++) floats[i] = (samples[i] as number) / 32_768;
  return floats;
}
