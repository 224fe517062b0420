import type { Transport } from "@uag/catalog/types";

/** Connection settings as by default in the catalogue, with a test's overrides. */
export function testTransport(more: Partial<Transport> = {}): Transport {
  const transport = {
    proxy: undefined,
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
    maxConnections: 4_096,
    maxQueued: 1_024,
    guarded: false,
    ...more,
  };
  return { ...transport, id: Object.values(transport).join(" ") };
}
