import { lookup } from "node:dns/promises";

/** Resolves a service's current addresses (`host:port`, IPv6 in brackets). */
export type ResolveTargets = () => Promise<string[]>;

interface Target {
  host: string;
  port: string;
}

function parse(target: string): Target {
  const colon = target.lastIndexOf(":");
  const port = target.slice(colon + 1);
  if (colon <= 0 || !/^\d{1,5}$/.test(port))
    throw new Error(`invalid address ${JSON.stringify(target)}: expected host:port`);
  return { host: target.slice(0, colon).replace(/^\[|\]$/g, ""), port };
}

async function addresses({ host, port }: Target): Promise<string[]> {
  const found = await lookup(host, { all: true });
  // A dual-stack name lists each replica twice; one family is enough.
  const v4 = found.filter((address) => address.family === 4);
  return (v4.length > 0 ? v4 : found).map(
    ({ address, family }) => `${family === 6 ? `[${address}]` : address}:${port}`,
  );
}

/**
 * Resolves `host:port` targets by DNS. A name with several addresses (a headless Kubernetes
 * service) is several replicas.
 * @throws {Error} immediately when a target is not a `host:port`; from the resolver when no name
 * resolves
 */
export function dnsTargets(targets: readonly string[]): ResolveTargets {
  const parsed = targets.map(parse);
  return async () => {
    const results = await Promise.allSettled(parsed.map(addresses));
    const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    if (found.length === 0)
      throw new AggregateError(results.map((result) => result.status === "rejected" && result.reason));
    return [...new Set(found)];
  };
}
