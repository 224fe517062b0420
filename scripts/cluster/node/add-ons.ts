import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { crdFiles } from "../../charts/schemas.ts";
import type { Kubectl } from "./kubectl.ts";
import { addresses, nodeName } from "./settings.ts";

interface AddOn {
  readonly name: string;
  readonly namespace: string;
  /** What its service account may do in the whole cluster. */
  readonly rules: readonly object[];
  /** Fields of its container beside name and image. */
  readonly container: object;
  readonly volumes?: readonly object[];
}

/** A Deployment of an image of the cluster's own programs, with its rights. */
function deployed({ name, namespace, rules, container, volumes = [] }: AddOn): object[] {
  const metadata = { name, namespace };
  const labels = { app: name };
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const rbac = "rbac.authorization.k8s.io";
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects,
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: name,
            dnsPolicy: "Default",
            tolerations: [{ operator: "Exists" }],
            containers: [{ name, image: `uag.local/${name}:1`, ...container }],
            volumes,
          },
        },
      },
    },
  ];
}

const corefile = `.:53 {
  errors
  health
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 5
  }
  cache 5
}
`;

function dns(): object[] {
  const namespace = "kube-system";
  const read = { verbs: ["list", "watch"] };
  const port = { port: 53, targetPort: 53 };
  return [
    ...deployed({
      name: "coredns",
      namespace,
      rules: [
        { apiGroups: [""], resources: ["endpoints", "services", "pods", "namespaces"], ...read },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], ...read },
      ],
      container: {
        args: ["-conf", "/etc/coredns/Corefile"],
        readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
        volumeMounts: [{ name: "config", mountPath: "/etc/coredns" }],
      },
      volumes: [{ name: "config", configMap: { name: "coredns" } }],
    }),
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "coredns", namespace }, data: { Corefile: corefile } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "kube-dns", namespace },
      spec: {
        clusterIP: addresses.dns,
        selector: { app: "coredns" },
        ports: [
          { name: "dns", protocol: "UDP", ...port },
          { name: "dns-tcp", protocol: "TCP", ...port },
        ],
      },
    },
  ];
}

const storageClass = "local";

/** Volumes made beforehand, as folders of the machine: as many as the fleet's pods claim. */
async function volumes(dir: string): Promise<object[]> {
  const objects: object[] = [
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: storageClass, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    },
  ];
  for (const [accessMode, count] of [
    ["ReadWriteOnce", 20],
    ["ReadWriteOncePod", 8],
  ] as const) {
    for (let n = 0; n < count; n++) {
      const name = `${accessMode.toLowerCase()}-${n}`;
      const path = join(dir, name);
      await mkdir(path, { recursive: true });
      const match = { key: "kubernetes.io/hostname", operator: "In", values: [nodeName] };
      objects.push({
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name },
        spec: {
          capacity: { storage: "200Gi" },
          accessModes: [accessMode],
          persistentVolumeReclaimPolicy: "Retain",
          storageClassName: storageClass,
          local: { path },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [match] }] } },
        },
      });
    }
  }
  return objects;
}

/** Installs DNS, the kinds of the charts that extend Kubernetes, and volumes; waits for DNS. */
export async function installAddOns(kubectl: Kubectl, volumeDir: string): Promise<void> {
  const kinds = (await crdFiles()).map(async (file) => parse(await readFile(file, "utf8")) as object);
  await kubectl.apply([...dns(), ...(await Promise.all(kinds)), ...(await volumes(volumeDir))]);
  await kubectl.run(["--namespace", "kube-system", "rollout", "status", "deployment/coredns", "--timeout=120s"]);
}
