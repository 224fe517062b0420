import { type ChannelCredentials, Client, type ClientDuplexStream, Metadata, status } from "@grpc/grpc-js";
import type { Peer } from "@uag/contract/access/rpc";
import { LinkServiceService } from "@uag/proto/link/v1/link.ts";
import type { Identity } from "@uag/runtime/rpc/identity";
import { asIs, StreamWriter, sharedChannelOptions } from "./grpc-stream.ts";
import type { Dial, Transport, TransportEvents } from "./transport.ts";

const channelOptions = {
  ...sharedChannelOptions,
  // Links on a shared connection would fail together and share its flow control.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  // The link's own credit bounds each response; HTTP/2's default of 64 KiB would stall all of them
  // together.
  "grpc-node.flow_control_window": 4 * 1024 * 1024,
};

class ClientTransport implements Transport {
  readonly #client: Client;
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  readonly #writer: StreamWriter;

  constructor(address: string, creds: ChannelCredentials, events: TransportEvents) {
    this.#client = new Client(address, creds, channelOptions);
    const { path } = LinkServiceService.link;
    const stream = this.#client.makeBidiStreamRequest(path, asIs, asIs, new Metadata(), {});
    this.#stream = stream;
    this.#writer = new StreamWriter(stream, events);
    stream.on("metadata", () => events.onReady());
    stream.on("data", (batch: Buffer) => events.onBatch(batch));
    // Every failure is reported as a status too.
    stream.on("error", () => {});
    stream.on("status", ({ code, details }) => {
      this.#client.close();
      events.onClosed(code === status.OK ? "ended" : details);
    });
  }

  write(batch: Buffer): boolean {
    return this.#writer.write(batch);
  }

  end(): void {
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.cancel();
  }
}

/** Opens links to a service over gRPC; disconnects any other peer at its address. */
export function dialGrpc(identity: Identity, service: Peer): Dial {
  const credentials = identity.channel([service]);
  return (address, events) => new ClientTransport(address, credentials, events);
}
