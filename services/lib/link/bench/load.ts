import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { Client } from "@grpc/grpc-js";
import { internalChannel } from "@uag/runtime/rpc/channel";
import type { LinkCall, LinkResponse } from "../src/call.ts";
import { createLinkClient, type LinkClient } from "../src/client.ts";
import type { LinkError } from "../src/errors.ts";
import { dialGrpc } from "../src/grpc-client.ts";
import { nothing } from "./codec.ts";
import { identityOf } from "./identity.ts";
import { chunks, jsonBody, openFrame, pairs, requestHeaders, streamPath, unaryMethod } from "./shapes.ts";

const concurrency = 64;
const streams = 50;

class Sink implements LinkResponse {
  call: LinkCall | undefined;
  readonly #done: (error?: LinkError) => void;
  constructor(done: (error?: LinkError) => void) {
    this.#done = done;
  }
  onHead(): void {}
  onChunk(chunk: Buffer): void {
    this.call?.consumed(chunk.length);
  }
  onEnd(): void {
    this.#done();
  }
  onError(error: LinkError): void {
    this.#done(error);
  }
}

type Once = (n: number, done: (error?: Error | null) => void) => void;

function viaLink(client: LinkClient, operation: string): Once {
  return (n, done) => {
    const sink = new Sink(done);
    sink.call = client.open({ ...openFrame(n), operation }, sink);
    sink.call.writeBody(jsonBody);
    sink.call.endBody();
  };
}

function closedLoop(options: { count: number; concurrency: number; once: Once }): Promise<void> {
  return new Promise((resolve, reject) => {
    let started = 0;
    let finished = 0;
    const next = (): void => {
      if (started >= options.count) return;
      options.once(started++, (error) => {
        if (error) reject(error);
        if (++finished === options.count) resolve();
        else next();
      });
    };
    for (let i = 0; i < options.concurrency; i++) next();
  });
}

/** What is measured, and at what concurrency. */
export interface Load {
  readonly name: string;
  readonly count: number;
  readonly concurrency: number;
  /** Units per call. */
  readonly per: number;
  readonly unit: string;
  readonly once: Once;
}

/** Both ends of a link, the serving one in a process of its own. */
export class Ends implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #link: LinkClient;
  readonly #plain: Client;
  readonly #http2: ClientHttp2Session;

  private constructor(child: ChildProcess, link: LinkClient, plain: Client, http2: ClientHttp2Session) {
    this.#child = child;
    this.#link = link;
    this.#plain = plain;
    this.#http2 = http2;
  }

  /** @param tls the `tls` folder of a fleet's data directory; undefined: plaintext */
  static async open(tls: string | undefined): Promise<Ends> {
    const child = fork(new URL("server.ts", import.meta.url), tls === undefined ? [] : [tls]);
    const [{ port, http2Port }] = (await once(child, "message")) as [{ port: number; http2Port: number }];
    const identity = identityOf("router", tls);
    const target = `127.0.0.1:${port}`;
    const link = createLinkClient({ dial: dialGrpc(identity, "chat"), targets: [target] });
    await link.ready();
    const plain = new Client(target, identity.channel(["chat"]), internalChannel);
    return new Ends(child, link, plain, connect(`http://127.0.0.1:${http2Port}`));
  }

  json(name: string, changes: Partial<Load> = {}): Load {
    const load = { name, count: 40_000, concurrency, per: 1, unit: "exchange" };
    return { ...load, once: viaLink(this.#link, "json"), ...changes };
  }

  sse(name: string, changes: Partial<Load> = {}): Load {
    const load = { name, count: 400, concurrency: streams, per: chunks, unit: "chunk" };
    return { ...load, once: viaLink(this.#link, "sse"), ...changes };
  }

  /** One unary gRPC call per exchange. */
  readonly plainJson: Once = (_n, done) => {
    const { path, same } = unaryMethod;
    this.#plain.makeUnaryRequest(path, same, same, jsonBody, done);
  };

  /** One gRPC stream per exchange. */
  readonly plainSse: Once = (_n, done) => {
    const { same } = unaryMethod;
    const call = this.#plain.makeServerStreamRequest(streamPath, same, same, jsonBody);
    call.on("data", nothing);
    call.on("error", done);
    call.on("end", () => done());
  };

  /** One stream of a plain HTTP/2 connection per exchange. */
  http2(path: "/json" | "/sse"): Once {
    const headers = { ":method": "POST", ":path": path, ...Object.fromEntries(pairs(requestHeaders)) };
    return (_n, done) => {
      const stream = this.#http2.request(headers);
      stream.on("data", nothing);
      stream.on("error", done);
      stream.on("end", () => done());
      stream.end(jsonBody);
    };
  }

  /** @returns CPU microseconds per unit at both ends together, and units per second */
  async measure(load: Load): Promise<{ cpuUs: number; perSecond: number }> {
    const before = await this.#cpuUs();
    const started = performance.now();
    await closedLoop(load);
    const seconds = (performance.now() - started) / 1_000;
    const units = load.count * load.per;
    return { cpuUs: ((await this.#cpuUs()) - before) / units, perSecond: units / seconds };
  }

  async #cpuUs(): Promise<number> {
    this.#child.send("cpu");
    const [{ cpu }] = (await once(this.#child, "message")) as [{ cpu: NodeJS.CpuUsage }];
    const own = process.cpuUsage();
    return cpu.user + cpu.system + own.user + own.system;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link.close();
    this.#plain.close();
    this.#http2.destroy();
    this.#child.kill();
  }
}
