import { internalChannel } from "@uag/runtime/rpc/channel";
import { maxInFlightBytes, maxMessageBytes } from "./limits.ts";
import type { TransportEvents } from "./transport.ts";

/** What both kinds of gRPC duplex stream have in common. */
interface Writer {
  write(batch: Buffer, done: () => void): boolean;
}

/** Counts the bytes handed to a gRPC stream that HTTP/2 has not taken yet. */
export class StreamWriter {
  readonly #stream: Writer;
  readonly #events: TransportEvents;
  #inFlight = 0;
  #full = false;

  constructor(stream: Writer, events: TransportEvents) {
    this.#stream = stream;
    this.#events = events;
  }

  write(batch: Buffer): boolean {
    const bytes = batch.length;
    this.#inFlight += bytes;
    this.#full = this.#inFlight >= maxInFlightBytes;
    this.#stream.write(batch, () => this.#written(bytes));
    return !this.#full;
  }

  #written(bytes: number): void {
    this.#inFlight -= bytes;
    if (!this.#full || this.#inFlight > maxInFlightBytes / 2) return;
    this.#full = false;
    this.#events.onDrained();
  }
}

/** Identity: the link itself encodes and decodes batches; gRPC only carries them. */
export function asIs(batch: Buffer): Buffer {
  return batch;
}

/** Channel options of both ends. */
export const sharedChannelOptions = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
  ...internalChannel,
};
