import { connect, type Socket } from "node:net";
import { MessageReader, type MessageSink } from "./message-reader.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

// One buffer serves all connections: received bytes are consumed before the next read, and the
// reader copies leftovers.
const readBuffer = Buffer.allocUnsafe(256 * 1_024);

/** One HTTP/1.1 client connection with one request in flight at a time, on a bare socket. */
export class Connection {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Connects. `lost` is called when the connection fails or is closed by the other side, even
   * during a request.
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
