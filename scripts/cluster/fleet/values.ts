import { serviceNames } from "@uag/contract/routes";
import { services } from "@uag/local/processes";
import { localRegistry, localTag } from "../images.ts";

export const simulatorAddress = "simulator:9090";

/** Two cores hold the whole fleet, so no pod may claim much of one. */
const small = { resources: { requests: { cpu: "10m", memory: "64Mi" } } };
const smallEngine = {
  resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "1Gi" } },
  image: { registry: localRegistry, tag: localTag },
  oneMemberPerNode: false,
};

/** The simulator is where a provider would be, but inside the cluster. */
const toSimulator = {
  networkPolicy: {
    extraEgress: [{ to: [{ podSelector: { matchLabels: { app: "simulator" } } }], ports: [{ port: 9090 }] }],
  },
};

/**
 * Values of the fleet's chart for one small node: its own engines, little memory and short drains.
 * @param providers settings of providers, which are the simulator's
 */
export function clusterValues(providers: Readonly<Record<string, string>>): Record<string, object> {
  const keys = Object.keys(providers).filter((name) => name.endsWith("_API_KEY"));
  const addresses = Object.fromEntries(Object.entries(providers).filter(([name]) => !name.endsWith("_API_KEY")));
  const drains = { drainSeconds: 30, preStopSeconds: 5, stopSeconds: 30 };
  const capability = {
    ...small,
    ...drains,
    ...toSimulator,
    settings: { ...addresses, EGRESS_ALLOW: simulatorAddress },
    extraSecretKeys: keys,
  };
  const capabilities = Object.fromEntries(serviceNames.map((name) => [name, { ...capability, replicaCount: 1 }]));
  const others = Object.fromEntries(services.map(({ name }) => [name, { ...small, ...drains }]));
  return {
    ...others,
    ...capabilities,
    chat: { ...capability, replicaCount: 2 },
    billing: { ...small, extraSecretKeys: ["ADMIN_TOKEN", "CREDENTIAL_KEY"] },
    console: {
      ...small,
      ...drains,
      extraSecretKeys: ["FIRST_PASSWORD"],
      settings: { FIRST_EMAIL: "first@example.com" },
    },
    auditor: { ...small, replicaCount: 1 },
    toolbox: { ...small, enabled: true },
    mongodb: { ...smallEngine, cacheMegabytes: 256, oplogMegabytes: 990, storage: { size: "1Gi" } },
    nats: { ...smallEngine, storage: { size: "20Gi" } },
    global: {
      publicUrl: "http://gateway.example.com",
      nats: { bundled: true },
      mongodb: { bundled: true },
    },
  };
}
