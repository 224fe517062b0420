import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Timed } from "@uag/kit/link/deadlines.ts";
import { UpstreamFailure } from "../failure.ts";
import type { AnswerHead } from "./answer-head.ts";
import { AnswerParser, type AnswerSink } from "./answer-parser.ts";
import { deadlines } from "./call-timer.ts";
import { wireFailure } from "./errors.ts";
import { requestText } from "./request-text.ts";

/** One call as its connection sees it. After `onFailed` or `onEnd` nothing more comes. */
export interface ConnectionUser {
  onSent(): void;
  onHead(head: AnswerHead): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailed(failure: UpstreamFailure): void;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  /** Name and value by turns. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
}

/** Where connections of one kind go, and what they have in common. */
export interface Endpoint {
  readonly url: URL;
  readonly connectMs: number;
  /** The last TLS session, to shorten the next handshake. */
  session: Buffer | undefined;
  /** The connection may carry another call. */
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** Up to this size a body goes out as one text with its head: one write of one piece. */
const textBytes = 16 * 1024;
/** Silence on the line after which the kernel asks whether the other side is still there. */
const keepAliveProbeMs = 60_000;

/**
 * What sockets read into, all of them: what has come is copied out before anything else runs, so a thousand waiting
 * streams need no memory for reading.
 */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** One connection to an upstream, for one call at a time. */
export class Connection implements AnswerSink, Timed {
  dueAt = 0;
  slot = -1;
  readonly #endpoint: Endpoint;
  readonly #socket: Socket;
  #user: ConnectionUser | undefined;
  #request: OutgoingRequest | undefined;
  #parser: AnswerParser;
  /** Of the answer under way; 0 before its head. */
  #status = 0;
  #keepMs = 0;
  #connected = false;
  #closed = false;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#parser = new AnswerParser(this);
    this.#socket = this.#open();
    deadlines.set(this, performance.now() + endpoint.connectMs);
  }

  /** Only while it has no user. */
  send(request: OutgoingRequest, user: ConnectionUser): void {
    this.#user = user;
    this.#request = request;
    if (this.#connected) this.#write();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends it, and tells its user why. */
  fail(failure: UpstreamFailure): void {
    const user = this.#user;
    this.close();
    user?.onFailed(failure);
  }

  /** Ends it without a word to its user. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#user = undefined;
    deadlines.clear(this);
    this.#socket.destroy();
    this.#endpoint.onClosed(this);
  }

  onHead(head: AnswerHead): void {
    this.#status = head.status;
    this.#keepMs = head.keepMs;
    this.#user?.onHead(head);
  }

  onData(bytes: Buffer): boolean {
    this.#user?.onData(bytes);
    return !this.#closed;
  }

  onEnd(clean: boolean): void {
    const user = this.#user;
    if (this.#closed) return;
    // An answer before the request has left: the other side will not read the rest.
    const reusable = clean && this.#keepMs > 0 && this.#socket.writableLength === 0;
    if (reusable) this.#rest();
    else this.close();
    user?.onEnd();
  }

  /** Due while connecting: it took too long. Due while idle: it is not kept any longer. */
  onDue(): void {
    const { connectMs } = this.#endpoint;
    this.fail(new UpstreamFailure("unreachable", `no connection within ${connectMs} ms`));
  }

  #open(): Socket {
    const { url, session } = this.#endpoint;
    const secure = url.protocol === "https:";
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const options: TcpNetConnectOpts = {
      host,
      port: Number(url.port) || (secure ? 443 : 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveProbeMs,
      onread: { buffer: readBuffer, callback: (bytes) => this.#onRead(bytes) },
    };
    const servername = isIP(host) === 0 ? host : "";
    const socket = secure
      ? connectTls({ ...options, servername, session, ALPNProtocols: ["http/1.1"] })
      : connectTcp(options);
    socket.once(secure ? "secureConnect" : "connect", () => this.#onConnect());
    socket.on("session", (ticket: Buffer) => {
      this.#endpoint.session = ticket;
    });
    socket.on("end", () => this.#onOtherEnd());
    socket.on("error", (error) => this.#broke(error));
    socket.on("close", () => this.#broke(new Error("it was closed")));
    return socket;
  }

  #onConnect(): void {
    if (this.#closed) return;
    this.#connected = true;
    deadlines.clear(this);
    if (this.#request !== undefined) this.#write();
  }

  #write(): void {
    const { method, path, headers, body } = this.#request as OutgoingRequest;
    this.#request = undefined;
    this.#status = 0;
    this.#parser = new AnswerParser(this);
    // A POST says that it has no body (RFC 9110, 8.6).
    const bodyBytes = body?.length ?? (method === "POST" ? 0 : undefined);
    let text: string;
    try {
      text = requestText({ method, path, headers, host: this.#endpoint.url.host, bodyBytes });
    } catch (error) {
      this.#broke(error);
      return;
    }
    deadlines.clear(this);
    const socket = this.#socket;
    if (body === undefined || body.length === 0) socket.write(text, "latin1");
    else if (body.length <= textBytes) socket.write(text + body.toString("latin1"), "latin1");
    else {
      socket.cork();
      socket.write(text, "latin1");
      socket.write(body);
      socket.uncork();
    }
    this.#user?.onSent();
  }

  #onRead(bytes: number): boolean {
    if (this.#closed) return false;
    // Nobody has asked for anything: the next answer could not be told from this.
    if (this.#user === undefined) this.close();
    else this.#parse(bytes);
    return !this.#closed;
  }

  #parse(size: number): void {
    const bytes = Buffer.allocUnsafe(size);
    readBuffer.copy(bytes, 0, 0, size);
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.#broke(error);
    }
  }

  #onOtherEnd(): void {
    if (this.#closed) return;
    try {
      this.#parser.end();
    } catch (error) {
      this.#broke(error);
    }
    this.close();
  }

  #broke(error: unknown): void {
    this.fail(wireFailure(error, this.#status));
  }

  #rest(): void {
    this.#user = undefined;
    // The last bytes may have come to a user that had just asked for a pause.
    if (this.#socket.isPaused()) this.#socket.resume();
    deadlines.set(this, performance.now() + this.#keepMs);
    this.#endpoint.onIdle(this);
  }
}
