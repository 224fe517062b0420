import type { Transport } from "@uag/catalog/types.ts";

/**
 * Connections as the catalogue makes them where it says nothing, and what a test wants otherwise.
 */
export function testTransport(more: Partial<Transport> = {}): Transport {
  const transport = {
    proxy: undefined,
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
    maxConnections: 4_096,
    maxQueued: 1_024,
    ...more,
  };
  return { ...transport, id: Object.values(transport).join(" ") };
}
