import type { LookupFunction, Socket } from "node:net";
import type { Transport } from "@uag/catalog/types";
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from "undici";
import { maxHeadBytes } from "./head.ts";
import { InterimHeads } from "./interim-heads.ts";
import type { Proxies } from "./proxies.ts";
import type { TlsMaterial } from "./tls-files.ts";

export interface DispatcherOptions {
  readonly origin: string;
  /** Timeout for connecting, to the proxy if there is one. */
  readonly connectMs: number;
  readonly transport: Transport;
  readonly tls: TlsMaterial;
  readonly proxies: Proxies;
  readonly lookup: LookupFunction;
}

/**
 * A server's keep-alive hint is shortened by a second, so that a call never races with the closing.
 */
const keepAliveTimeoutThreshold = 1_000;

/**
 * Connections to one origin: directly, or through the proxy configured by its provider or the
 * environment.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { origin, connectMs, transport, tls, proxies, lookup } = options;
  const connect = { timeout: connectMs, lookup, autoSelectFamily: true, ...tls };
  const common = {
    allowH2: false,
    pipelining: 1,
    connections: transport.maxConnections,
    maxHeaderSize: maxHeadBytes,
    keepAliveTimeoutThreshold,
    // Each call has its own timer, which can be paused.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: connectMs,
    factory: tolerantPool,
  };
  const toProxy = { ...common, requestTls: tls, proxyTls: { timeout: connectMs, lookup } };
  if (transport.proxy === "none") return tolerantPool(origin, { ...common, connect });
  if (transport.proxy !== undefined) return new ProxyAgent({ ...toProxy, uri: transport.proxy });
  const { http, https, except } = proxies;
  if (http === "" && https === "") return tolerantPool(origin, { ...common, connect });
  return new EnvHttpProxyAgent({ ...toProxy, connect, httpProxy: http, httpsProxy: https, noProxy: except });
}

/** A pool whose connections accept a `100 Continue` that was not asked for. */
function tolerantPool(origin: string | URL, { connect, ...options }: Pool.Options): Pool {
  const connector = typeof connect === "function" ? connect : buildConnector({ ...connect, allowH2: false });
  return new Pool(origin, {
    ...options,
    connect: (target, callback) =>
      connector(target, (...[error, socket]) => {
        if (error === null) callback(null, acceptingInterimHeads(socket));
        else callback(error, null);
      }),
  });
}

function acceptingInterimHeads<S extends Socket>(socket: S): S {
  const heads = new InterimHeads();
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as Socket["write"];
  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk !== null) heads.rewrite(chunk);
    return chunk;
  };
  socket.write = ((chunk: string | Uint8Array, ...rest: [BufferEncoding]) => {
    // undici writes the head of a request as a string, and bodies, which are buffers here, as such.
    if (typeof chunk === "string") heads.requestBegan();
    return write(chunk, ...rest);
  }) as Socket["write"];
  return socket;
}
