import type { LookupFunction } from "node:net";
import type { Transport } from "@uag/catalog/types.ts";
import { type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from "undici";
import { maxHeadBytes } from "./head.ts";
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
  };
  const toProxy = { ...common, requestTls: tls, proxyTls: { timeout: connectMs, lookup } };
  if (transport.proxy === "none") return new Pool(origin, { ...common, connect });
  if (transport.proxy !== undefined) return new ProxyAgent({ ...toProxy, uri: transport.proxy });
  const { http, https, except } = proxies;
  if (http === "" && https === "") return new Pool(origin, { ...common, connect });
  return new EnvHttpProxyAgent({ ...toProxy, connect, httpProxy: http, httpsProxy: https, noProxy: except });
}
