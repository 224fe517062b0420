import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { engineCharts, fleetChart, helmDir, serviceCharts } from "./charts.ts";

/** The values of every release, which each later one accepts: `npm run release` writes them. */
const releasedDir = join(helmDir, "released");
/** Values that let services reach what the charts' network policies exclude, for operators to copy. */
const egressDir = join(helmDir, "egress");

const linesOf = (dir: string, prefix: string): readonly Line[] =>
  readdirSync(dir)
    .sort()
    .map((file) => ({ name: `${prefix}-${parse(file).name}`, args: ["--values", join(dir, file)] }));

export interface Line {
  readonly name: string;
  readonly args: readonly string[];
}

const set = (...pairs: readonly string[]): string[] => pairs.flatMap((pair) => ["--set", pair]);

const placed: Line = {
  name: "placed",
  args: set(
    "image.registry=registry.example.com",
    "image.digest=sha256:0000000000000000000000000000000000000000000000000000000000000000",
    "imagePullSecrets[0].name=pull",
    "fleet=blue",
    "nodeSelector.pool=ai",
    "tolerations[0].key=ai",
    "tolerations[0].operator=Exists",
    "priorityClassName=high",
    "podAnnotations.team=money",
  ),
};

/** Values that any service accepts. */
const common: readonly Line[] = [
  { name: "defaults", args: [] },
  placed,
  { name: "monitored", args: set("serviceMonitor.enabled=true", "prometheusRule.enabled=true") },
  { name: "scaled", args: set("autoscaling.enabled=true", "autoscaling.maxReplicas=30") },
  {
    name: "extended",
    args: set(
      "extraEnv[0].name=OTEL_RESOURCE_ATTRIBUTES",
      "extraEnv[0].value=deployment.environment=staging",
      "extraVolumes[0].name=vault",
      "extraVolumes[0].emptyDir.medium=Memory",
      "extraVolumeMounts[0].name=vault",
      "extraVolumeMounts[0].mountPath=/vault",
      "serviceAccount.annotations.role=arn",
      "serviceAnnotations.team=money",
      "userId=1000680000",
      "rollout.maxUnavailable=2",
      "rollout.maxSurge=50%",
      "autoscaling.enabled=true",
      "autoscaling.inFlight=200",
      "bindAddress=::",
    ),
  },
  { name: "openshift", args: set("userId=0") },
  { name: "one-replica", args: set("replicaCount=1", "preStopSeconds=5") },
  {
    name: "own-secrets",
    args: set(
      "existingSecret=mine",
      "tls.existingSecret=mine-tls",
      "extraSecretKeys={LOG_LEVEL}",
      "nats.mutualTls=false",
    ),
  },
];

/** Values that any engine accepts. */
const ofEngines: readonly Line[] = [
  { name: "defaults", args: [] },
  placed,
  { name: "own-secrets", args: set("existingSecret=mine", "tls.existingSecret=mine-tls") },
  { name: "stored", args: set("storage.size=500Gi", "storage.storageClass=local-nvme", "replicaCount=5") },
  { name: "openshift", args: set("userId=0") },
  {
    name: "extended",
    args: set(
      "threeZones=false",
      "storage.accessModes={ReadWriteOnce}",
      "serviceAnnotations.team=money",
      "serviceAccount.annotations.role=arn",
    ),
  },
];

const own: Readonly<Record<string, readonly Line[]>> = {
  router: [
    {
      name: "ingress",
      args: set("ingress.enabled=true", "ingress.tlsSecret=door", "publicUrl=https://ai.example.com"),
    },
    { name: "gateway-api", args: set("gateway.enabled=true", "publicUrl=https://ai.example.com") },
  ],
  billing: [{ name: "roles", args: set("roles.enabled=true", "mongodb.caSecret=ca", "extraSecretKeys={ADMIN_TOKEN}") }],
  metering: [{ name: "keda", args: set("keda.enabled=true", "settings.USAGE_KEEP_MONTHS=3") }],
  notifications: [
    {
      name: "mail",
      args: set("mail.from=Gateway <gateway@example.com>", "mail.port=2525", "publicUrl=https://ai.example.com"),
    },
  ],
  chat: [{ name: "journal", args: set("journal.size=50Gi", "journal.storageClass=local-nvme") }],
};

/** The values with which a chart is rendered, line by line. */
export function matrix(chart: string): readonly Line[] {
  if (engineCharts.includes(chart)) return ofEngines;
  if (chart !== fleetChart) return [...common, ...(own[chart] ?? [])];
  const monitored = serviceCharts.flatMap((name) => [`${name}.serviceMonitor.enabled=true`]);
  return [
    { name: "defaults", args: [] },
    { name: "monitored", args: set(...monitored) },
    { name: "without-chat", args: set("chat.enabled=false") },
    ...linesOf(releasedDir, "values-of"),
    ...linesOf(egressDir, "egress"),
    { name: "bundled", args: set("global.nats.bundled=true", "global.mongodb.bundled=true") },
    { name: "toolbox", args: set("toolbox.enabled=true", "toolbox.extraSecretKeys={NATS_PASSWORD}") },
    {
      name: "dashboards",
      args: set(
        "global.dashboards.enabled=true",
        "global.clusterAlerts.enabled=true",
        "global.runbookUrl=https://a.example",
      ),
    },
    { name: "rolling-catalogue", args: set("global.catalog.rollOnChange=true", "global.fleet=green") },
  ];
}
