const local = ["localhost", "127.0.0.1", "[::1]"];

/** Tells whether a host, as `Host` or `Origin` name it, is one of ours. */
export type HostCheck = (hostname: string) => boolean;

/**
 * The hosts that requests may be meant for: this machine, that of the public URL, and those of the
 * setting. A page of another site whose name was made to lead here is so refused (the
 * specification's warning of DNS rebinding).
 */
export function allowedHosts(publicUrl: string, more: readonly string[]): HostCheck {
  if (more.includes("*")) return () => true;
  const hosts = new Set([...local, new URL(publicUrl).hostname, ...more.map((host) => host.toLowerCase())]);
  return (hostname) => hosts.has(hostname);
}

const max = 1_000;

/**
 * The host's name in a `Host` header (`host:port`) or an `Origin` (a URL); undefined when there is
 * none in it.
 */
export function hostnameOf(header: string): string | undefined {
  if (header.length > max) return undefined;
  const url = header.includes("://") ? header : `http://${header}`;
  return URL.parse(url)?.hostname;
}
