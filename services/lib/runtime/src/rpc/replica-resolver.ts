import { type ChannelOptions, experimental, status } from "@grpc/grpc-js";
import { dnsTargets, type ResolveTargets } from "./targets.ts";

const scheme = "replicas";
const resolveEveryMs = 5_000;
/** Before any address is known, names are resolved more often. */
const firstEveryMs = 500;

/** Names were not resolved yet, so nothing can be called. */
const unresolved = { code: status.UNAVAILABLE, details: "no address of the service is known" };

function endpointOf(address: string): experimental.Endpoint {
  const parsed = experimental.splitHostPort(address);
  if (parsed?.port === undefined) throw new Error(`invalid address ${address}: expected host:port`);
  return { addresses: [{ host: parsed.host, port: parsed.port }] };
}

/**
 * Reports the replicas of a service to a channel: those behind its names now, and each change.
 * The library's own resolver resolves again only when a connection breaks, so that a replica that
 * was added would not be called until another one is gone.
 */
export class ReplicaResolver implements experimental.Resolver {
  readonly #resolve: ResolveTargets;
  readonly #listener: experimental.ResolverListener;
  #known = "";
  #timer: NodeJS.Timeout | undefined;
  #resolving = false;

  constructor(
    target: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    _options?: ChannelOptions,
    resolve = dnsTargets(target.path.split(",")),
  ) {
    this.#resolve = resolve;
    this.#listener = listener;
  }

  /** Every server of ours has the same name in TLS: its certificate is checked otherwise. */
  static getDefaultAuthority(): string {
    return "gateway";
  }

  updateResolution(): void {
    if (this.#resolving) return;
    clearTimeout(this.#timer);
    this.#resolving = true;
    void this.#refresh();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#resolving = false;
    this.#known = "";
  }

  async #refresh(): Promise<void> {
    const found = await this.#resolve().catch((): string[] => []);
    // Destroyed meanwhile.
    if (!this.#resolving) return;
    this.#resolving = false;
    this.#timer = setTimeout(
      () => this.updateResolution(),
      this.#report(found) ? resolveEveryMs : firstEveryMs,
    ).unref();
  }

  /**
   * Known replicas are kept while a name server fails, which says nothing about them.
   * @returns whether any replica is known
   */
  #report(found: readonly string[]): boolean {
    const addresses = found.toSorted();
    const text = addresses.join();
    if (text === "") {
      if (this.#known === "") this.#listener(experimental.statusOrFromError(unresolved), {}, null, "");
    } else if (text !== this.#known) {
      this.#known = text;
      this.#listener(experimental.statusOrFromValue(addresses.map(endpointOf)), {}, null, "");
    }
    return this.#known !== "";
  }
}

experimental.registerResolver(scheme, ReplicaResolver);

/**
 * The channel target of a service: comma-separated `host:port`, where a name with several addresses
 * is several replicas. `dns:///` before one is what gRPC calls the same.
 * @throws {Error} when one is not a `host:port`
 */
export function replicasOf(addresses: string): string {
  const plain = addresses.split(",").map((address) => address.trim().replace(/^dns:(?:\/\/\/)?/, ""));
  dnsTargets(plain);
  return `${scheme}:${plain.join()}`;
}
