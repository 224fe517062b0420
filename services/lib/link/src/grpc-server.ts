import {
  type handleBidiStreamingCall,
  Metadata,
  type ServerDuplexStream,
  type ServiceDefinition,
  status,
} from "@grpc/grpc-js";
import { LinkServiceService } from "@uag/proto/link/v1/link.ts";
import { asIs, StreamWriter, sharedChannelOptions } from "./grpc-stream.ts";
import { LocalStream } from "./in-process.ts";
import type { Transport, TransportEvents } from "./transport.ts";

type ServerStream = ServerDuplexStream<Buffer, Buffer>;

/** Channel options for a gRPC server that carries links. */
export const linkServerChannelOptions = { ...sharedChannelOptions };

/** The generated service definition, with batches left encoded. */
export const linkService = {
  link: {
    path: LinkServiceService.link.path,
    requestStream: true,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
} satisfies ServiceDefinition;

function failure(code: status, details: string): Error {
  return Object.assign(new Error(details), { code, details });
}

class ServerTransport implements Transport {
  readonly #stream: ServerStream;
  readonly #writer: StreamWriter;

  constructor(stream: ServerStream, events: TransportEvents) {
    this.#stream = stream;
    this.#writer = new StreamWriter(stream, events);
    let closed = false;
    const close = (reason: string): void => {
      if (closed) return;
      closed = true;
      events.onClosed(reason);
    };
    stream.on("data", (batch: Buffer) => events.onBatch(batch));
    stream.on("end", () => events.onPeerEnd());
    stream.on("cancelled", () => close("the calling end disconnected"));
    stream.on("error", (error: Error) => close(error.message));
    stream.on("finish", () => close("ended"));
  }

  write(batch: Buffer): boolean {
    return this.#writer.write(batch);
  }

  end(): void {
    this.#stream.end();
  }

  destroy(reason: string): void {
    // grpc-js turns this event into the call's status; its streams have no other way to end with
    // one.
    this.#stream.emit("error", failure(status.INTERNAL, reason));
  }
}

/** Creates the handler that turns each call, over gRPC or in this process, into a link. */
export function serveStream(host: {
  accept(attach: (events: TransportEvents) => Transport): void;
  refuse(): boolean;
}): handleBidiStreamingCall<Buffer, Buffer> {
  return (stream) => {
    if (host.refuse()) {
      stream.emit("error", failure(status.UNAVAILABLE, "draining"));
      return;
    }
    // Headers are sent immediately: to the calling end they mean that the link is ready.
    stream.sendMetadata(new Metadata());
    host.accept((events) =>
      stream instanceof LocalStream ? stream.serve(events) : new ServerTransport(stream, events),
    );
  };
}
