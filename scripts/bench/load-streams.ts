import { setTimeout as sleep } from "node:timers/promises";
import { isOk, WrongResponse } from "./check-json.ts";
import { StreamCheck } from "./check-stream.ts";
import { Connection } from "./connection.ts";
import { Samples } from "./percentiles.ts";
import { chatTemplate, type Endpoint, nextNonce } from "./request.ts";
import { monotonicUs, type StreamShape } from "./responses.ts";

export interface StreamsJob {
  readonly endpoint: Endpoint;
  /** Number of concurrently open streams. */
  readonly streams: number;
  /** Number of streams that each connection reads, one after another. */
  readonly rounds: number;
  readonly shape: StreamShape;
  /** The first of each connection start spread over this time. */
  readonly rampMs: number;
  /** Called once all streams have their first chunk, and again when the first has ended. */
  readonly phase: (phase: "all-open" | "closing") => void;
}

export interface StreamsResult {
  readonly requests: number;
  readonly chunks: number;
  readonly seconds: number;
  /** From sending the request to the first chunk's arrival. */
  readonly firstChunkMs: Float64Array;
  /** From the upstream's write of each chunk to its arrival. */
  readonly chunkDelayMs: Float64Array;
}

interface Gathered {
  readonly firstChunk: Samples;
  readonly delay: Samples;
  chunks: number;
  opened: number;
  closing: boolean;
}

/** Keeps a number of streams open concurrently and checks every event. */
export async function runStreams(job: StreamsJob): Promise<StreamsResult> {
  const gathered = { firstChunk: new Samples(), delay: new Samples(), chunks: 0, opened: 0, closing: false };
  const startUs = monotonicUs();
  const readers = Array.from({ length: job.streams }, async (_, index) => {
    await sleep((job.rampMs * index) / job.streams);
    for (let round = 0; round < job.rounds; round++) {
      // Every other stream requests usage: both kinds are checked.
      await readStream({ job, gathered, includeUsage: index % 2 === 0 });
    }
  });
  await Promise.all(readers);
  return {
    requests: job.streams * job.rounds,
    chunks: gathered.chunks,
    seconds: (monotonicUs() - startUs) / 1_000_000,
    firstChunkMs: gathered.firstChunk.values(),
    chunkDelayMs: gathered.delay.values(),
  };
}

async function readStream(options: {
  readonly job: StreamsJob;
  readonly gathered: Gathered;
  readonly includeUsage: boolean;
}): Promise<void> {
  const { job, gathered } = options;
  const shape = { ...job.shape, includeUsage: options.includeUsage };
  const nonce = nextNonce();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let head = "";
  let refusal = "";
  let sentUs = 0;
  const arrived = (delayUs: number) => {
    gathered.delay.add(delayUs / 1_000);
    gathered.chunks += 1;
    if (check.chunks !== 1) return;
    gathered.firstChunk.add((monotonicUs() - sentUs) / 1_000);
    gathered.opened += 1;
    if (gathered.opened === job.streams) job.phase("all-open");
  };
  const check = new StreamCheck({ nonce, shape, arrived });
  const connection = await Connection.open({
    address: job.endpoint,
    lost: (reason) => reject(new Error(`stream ${nonce} after ${check.chunks} chunks: ${reason.message}`)),
    sink: {
      head: (text) => {
        head = text;
      },
      body: (bytes) => {
        if (isOk(head)) check.push(bytes);
        else refusal += bytes.toString("latin1");
      },
      end: () => {
        if (!isOk(head)) throw new WrongResponse("not a 200", { head, body: refusal, nonce });
        check.end();
        resolve();
      },
    },
  });
  sentUs = monotonicUs();
  connection.send(chatTemplate(job.endpoint, shape).with(nonce));
  await promise.finally(() => connection.close());
  if (!gathered.closing) {
    gathered.closing = true;
    job.phase("closing");
  }
}
