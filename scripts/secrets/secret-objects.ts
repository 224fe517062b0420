import { readValues, serviceCharts, toolboxChart } from "../charts/charts.ts";
import type { FleetSecrets } from "./fleet-secrets.ts";

/** A Secret of a fleet, as values by key. */
export interface FleetSecret {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Optional keys that a new fleet wants; the values of its chart list them under `extraSecretKeys`. */
export const extraKeys: Readonly<Record<string, readonly string[]>> = {
  billing: ["ADMIN_TOKEN", "CREDENTIAL_KEY"],
  console: ["FIRST_PASSWORD"],
  [toolboxChart]: ["NATS_PASSWORD"],
};

const engineKeys: Readonly<Record<string, readonly string[]>> = {
  nats: ["passwords.conf"],
  mongodb: ["passwords.json"],
};

/** Every Secret that the charts read, except certificates, which cert-manager makes, and providers' keys. */
export async function secretsOf(fleet: string, secrets: FleetSecrets): Promise<FleetSecret[]> {
  const keysOf: Record<string, readonly string[]> = { ...engineKeys };
  for (const chart of [...serviceCharts, toolboxChart]) {
    const { secretKeys } = await readValues(chart);
    keysOf[chart] = [...(secretKeys as string[]), ...(extraKeys[chart] ?? [])];
  }
  return Object.entries(keysOf)
    .filter(([, keys]) => keys.length > 0)
    .map(([chart, keys]) => ({
      name: `${fleet}-${chart}`,
      data: Object.fromEntries(keys.map((key) => [key, secrets.valueOf(chart, key)])),
    }));
}

interface Place {
  readonly namespace: string;
}

/** A Kubernetes Secret. */
export const secretObject = ({ name, data }: FleetSecret, { namespace }: Place): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace },
  type: "Opaque",
  stringData: data,
});

/** An ExternalSecret of External Secrets Operator, which reads all keys of one entry of a store. */
export const externalSecret = (
  { name }: FleetSecret,
  { namespace, store }: Place & { readonly store: string },
): object => ({
  apiVersion: "external-secrets.io/v1",
  kind: "ExternalSecret",
  metadata: { name, namespace },
  spec: {
    refreshInterval: "1h",
    secretStoreRef: { name: store, kind: "SecretStore" },
    target: { name },
    dataFrom: [{ extract: { key: name } }],
  },
});
