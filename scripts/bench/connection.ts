import { connect, type Socket } from "node:net";
import { MessageReader, type MessageSink } from "./message-reader.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

// One buffer serves all connections: what is read is consumed before the next read, and leftovers
// are copied by the reader.
const readBuffer = Buffer.allocUnsafe(256 * 1_024);

/** One HTTP/1.1 client connection with one request under way at a time, on a bare socket. */
export class Connection {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Connects. `lost` is called when the connection fails or is closed by the other side, whatever
   * was under way.
   */
  static open(options: {
    readonly address: Address;
    readonly sink: MessageSink;
    readonly lost: (reason: Error, idle: boolean) => void;
  }): Promise<Connection> {
    const reader = new MessageReader({ kind: "response", sink: options.sink });
    return new Promise((resolve, reject) => {
      const socket = connect({
        ...options.address,
        noDelay: true,
        onread: {
          buffer: readBuffer,
          callback: (length, buffer) => {
            try {
              reader.push((buffer as Buffer).subarray(0, length));
            } catch (error) {
              socket.destroy(error as Error);
            }
            return true;
          },
        },
      });
      let failure: Error | undefined;
      socket.once("connect", () => resolve(new Connection(socket)));
      socket.on("error", (error) => {
        failure = error;
        reject(error);
      });
      socket.once("close", () =>
        options.lost(failure ?? new Error("the connection was closed by the other side"), reader.idle),
      );
    });
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }
}
