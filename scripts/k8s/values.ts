import { serviceNames } from "@uag/contract/routes";
import { services } from "@uag/local/processes";
import type { Values } from "../charts/charts.ts";

/**
 * Values for one machine instead of a cluster: mostly one replica, and its own engines.
 *
 * @param natsUrl address of NATS; without it, the fleet's charts include NATS and MongoDB
 */
export function localValues(providers: Readonly<Record<string, string>>, natsUrl: string | undefined): Values {
  const addresses = Object.fromEntries(Object.entries(providers).filter(([name]) => name.endsWith("_BASE_URL")));
  const keys = Object.keys(providers).filter((name) => name.endsWith("_API_KEY"));
  const one = { replicaCount: 1 };
  const capability = { ...one, settings: addresses, extraSecretKeys: keys };
  const withProviders = new Set<string>(serviceNames);
  const each = services.map(({ name }) => [name, withProviders.has(name) ? capability : one] as const);
  return {
    ...Object.fromEntries(each),
    global: {
      nats: natsUrl === undefined ? { bundled: true } : { url: natsUrl },
      mongodb: { bundled: natsUrl === undefined },
      publicUrl: "http://127.0.0.1:8080",
    },
    mongodb: { cacheMegabytes: 256, oplogMegabytes: 990 },
    chat: { ...capability, replicaCount: 2 },
    metering: { ...one, settings: { STREAM_REPLICAS: natsUrl === undefined ? 3 : 1 } },
  };
}
