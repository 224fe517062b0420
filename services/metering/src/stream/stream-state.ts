import type { UsageStream } from "@uag/proto/metering/v1/metering.ts";
import type { NatsConnection, StreamInfo } from "nats";

const freshMs = 1_000;

/** The state of the usage stream, read at most once a second however many callers there are. */
export class StreamState {
  readonly #connection: NatsConnection;
  readonly #stream: string;
  #read: { readonly state: Promise<UsageStream | undefined>; readonly at: number } | undefined;

  constructor(connection: NatsConnection, stream: string) {
    this.#connection = connection;
    this.#stream = stream;
  }

  /** At most a second old; undefined when it cannot be read. */
  get(): Promise<UsageStream | undefined> {
    if (this.#read === undefined || performance.now() - this.#read.at > freshMs) {
      this.#read = { state: this.#readState().catch(() => undefined), at: performance.now() };
    }
    return this.#read.state;
  }

  /** How many messages wait to be applied right now. */
  async messages(): Promise<number> {
    return (await this.#info()).state.messages;
  }

  async #info(): Promise<StreamInfo> {
    const manager = await this.#connection.jetstreamManager({ checkAPI: false });
    return await manager.streams.info(this.#stream);
  }

  async #readState(): Promise<UsageStream> {
    const { state, created } = await this.#info();
    return {
      firstSequence: BigInt(state.first_seq),
      lastSequence: BigInt(state.last_seq),
      createdMs: BigInt(Date.parse(created)),
    };
  }
}
