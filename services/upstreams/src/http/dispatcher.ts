import type { LookupFunction } from "node:net";
import type { Transport } from "@uag/catalog/types.ts";
import { type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from "undici";
import { maxHeadBytes } from "./head.ts";
import type { Proxies } from "./proxies.ts";
import type { TlsMaterial } from "./tls-files.ts";

export interface DispatcherOptions {
  readonly origin: string;
  /** How long making a connection may take, to the proxy where there is one. */
  readonly connectMs: number;
  readonly transport: Transport;
  readonly tls: TlsMaterial;
  readonly proxies: Proxies;
  readonly lookup: LookupFunction;
}

/**
 * A server's hint how long it keeps a connection is taken a second short, so that a call never
 * meets the closing.
 */
const keepAliveTimeoutThreshold = 1_000;

/**
 * Connections to one origin: directly, or over the proxy that its provider or the environment
 * names.
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
    // Each call has a timer of its own, which knows when it rests.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: connectMs,
  };
  const toProxy = { ...common, requestTls: tls, proxyTls: { timeout: connectMs, lookup } };
  if (transport.proxy === "none") return new Pool(origin, { ...common, connect });
  if (transport.proxy !== undefined) return new ProxyAgent({ ...toProxy, uri: transport.proxy });
  const { http, https, except } = proxies;
  if (http === "" && https === "") return new Pool(origin, { ...common, connect });
  return new EnvHttpProxyAgent({ ...toProxy, connect, httpProxy: http, httpsProxy: https, noProxy: except });
}
