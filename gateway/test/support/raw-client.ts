import { connect, type Socket } from "node:net";

const patienceMs = 60_000;

export interface RawClient extends Disposable {
  readonly socket: Socket;
  /** Everything received so far. */
  readonly text: string;
  /** True once the server has closed the connection. */
  readonly closed: boolean;
  /** The code of the error that ended the connection, such as ECONNRESET. */
  readonly failure: string | undefined;
  send(data: string | Buffer): void;
  /** Resolves when the received text contains this part. */
  until(part: string): Promise<string>;
  untilClosed(): Promise<string>;
}

/** A connection on which a test writes what no HTTP client would send. */
export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  let text = "";
  let closed = false;
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  let failure: string | undefined;
  socket.on("error", (error: NodeJS.ErrnoException) => {
    failure = error.code;
    socket.destroy();
  });
  socket.on("close", () => {
    closed = true;
  });
  await new Promise((resolve) => socket.once("connect", resolve));
  const wait = (done: () => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not in time; so far: ${text.slice(0, 500)}`)), patienceMs);
      const check = (): void => {
        if (!done()) return;
        clearTimeout(timer);
        socket.off("data", check);
        socket.off("close", check);
        resolve(text);
      };
      socket.on("data", check);
      socket.on("close", check);
      check();
    });
  return {
    socket,
    get text() {
      return text;
    },
    get closed() {
      return closed;
    },
    get failure() {
      return failure;
    },
    send: (data) => void socket.write(data),
    until: (part) => wait(() => text.includes(part)),
    untilClosed: () => wait(() => closed),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
