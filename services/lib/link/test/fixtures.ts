import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Server } from "@grpc/grpc-js";
import { insecure } from "@uag/runtime/rpc/identity";
import { listen } from "@uag/runtime/rpc/server";
import type { LinkRequest } from "../src/call.ts";
import type { LinkClient } from "../src/client.ts";
import { LinkError } from "../src/errors.ts";
import { linkServerChannelOptions } from "../src/grpc-server.ts";
import { ResponseStream } from "../src/response-stream.ts";
import { createLinkServer, type LinkHandler, type LinkServer, type LinkServerOptions } from "../src/server.ts";

export const whole = { maxBytes: 64 * 1024 * 1024 };

/** A handler that only waits: rejects when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

export const echo: LinkHandler = async (exchange) => exchange.respond(200, [], await exchange.readBody(whole));

/** A replica over real gRPC, on a free port or the given one. */
export class Service implements AsyncDisposable {
  readonly link: LinkServer;
  readonly address: string;
  readonly #server: Server;

  private constructor(link: LinkServer, server: Server, port: number) {
    this.link = link;
    this.#server = server;
    this.address = `127.0.0.1:${port}`;
  }

  static async start(
    operations: LinkServerOptions["operations"],
    options: Partial<LinkServerOptions> & { port?: number } = {},
  ) {
    const link = createLinkServer({ operations, ...options });
    const { server, port } = await listen({
      host: "127.0.0.1",
      port: options.port ?? 0,
      identity: insecure,
      services: [link.rpc],
      channel: linkServerChannelOptions,
    });
    return new Service(link, server, port);
  }

  get port(): number {
    return Number(this.address.split(":")[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
  }
}

export function request(operation: string, rest: Partial<LinkRequest> = {}): LinkRequest {
  return { operation, requestId: "r", target: "/", headers: [], context: Buffer.alloc(0), ...rest };
}

/** Sends a whole body and reads the whole response. */
export async function call(client: LinkClient, operation: string, body: Buffer, rest: Partial<LinkRequest> = {}) {
  const response = ResponseStream.open(client, request(operation, rest), body);
  const { status, headers } = await response.head;
  return { status, headers, body: await response.bytes() };
}

/** The LinkError that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<LinkError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof LinkError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

/** A process of its own that serves or calls, to be killed. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly messages: string[] = [];

  constructor(role: "serve" | "call", argument: string) {
    this.process = fork(new URL("./child.ts", import.meta.url), [role, argument]);
    this.process.on("message", (message) => this.messages.push(String(message)));
  }

  async next(): Promise<string> {
    if (this.messages.length === 0) await once(this.process, "message");
    return this.messages.shift() as string;
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
