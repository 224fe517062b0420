const local = ["localhost", "127.0.0.1", "[::1]"];

/** Returns whether a host, as in `Host` or `Origin`, is the gateway's. */
export type HostCheck = (hostname: string) => boolean;

/**
 * The hosts that requests may name: this machine, that of the public URL, and those of the setting.
 * This refuses pages of another site whose name was made to resolve to us (DNS rebinding, against
 * which the specification warns).
 */
export function allowedHosts(publicUrl: string, more: readonly string[]): HostCheck {
  if (more.includes("*")) return () => true;
  const hosts = new Set([...local, new URL(publicUrl).hostname, ...more.map((host) => host.toLowerCase())]);
  return (hostname) => hosts.has(hostname);
}

const max = 1_000;

/**
 * The hostname in a `Host` header (`host:port`) or an `Origin` (a URL); undefined when there is
 * none.
 */
export function hostnameOf(header: string): string | undefined {
  if (header.length > max) return undefined;
  const url = header.includes("://") ? header : `http://${header}`;
  return URL.parse(url)?.hostname;
}
