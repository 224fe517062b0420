import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { crdFiles } from "../../charts/schemas.ts";
import type { Programs } from "../programs.ts";
import type { Credentials } from "./credentials.ts";
import type { Daemons } from "./daemon.ts";
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

/** The metrics of pods and nodes, by which a HorizontalPodAutoscaler decides. */
function metrics(): object[] {
  const [name, namespace, port] = ["metrics-server", "kube-system", 10_250];
  const rbac = "rbac.authorization.k8s.io";
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const bound = (kind: "ClusterRoleBinding" | "RoleBinding", roleKind: string, role: string): object => ({
    apiVersion: `${rbac}/v1`,
    kind,
    metadata: { name: `${name}-${role.replaceAll(":", "-")}`, ...(kind === "RoleBinding" ? { namespace } : {}) },
    roleRef: { apiGroup: rbac, kind: roleKind, name: role },
    subjects,
  });
  const group = "metrics.k8s.io";
  return [
    ...deployed({
      name,
      namespace,
      rules: [
        { apiGroups: [""], resources: ["nodes/metrics"], verbs: ["get"] },
        { apiGroups: [""], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] },
      ],
      container: {
        args: [
          "--cert-dir=/tmp",
          `--secure-port=${port}`,
          "--kubelet-preferred-address-types=InternalIP",
          "--kubelet-use-node-status-port",
          "--kubelet-insecure-tls",
          "--metric-resolution=15s",
        ],
        readinessProbe: { httpGet: { path: "/readyz", port, scheme: "HTTPS" }, periodSeconds: 2 },
        volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
      },
      volumes: [{ name: "tmp", emptyDir: {} }],
    }),
    bound("RoleBinding", "Role", "extension-apiserver-authentication-reader"),
    bound("ClusterRoleBinding", "ClusterRole", "system:auth-delegator"),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: { selector: { app: name }, ports: [{ port: 443, targetPort: port }] },
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `v1beta1.${group}` },
      spec: {
        service: { name, namespace },
        group,
        version: "v1beta1",
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
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

interface Around {
  readonly programs: Programs;
  readonly daemons: Daemons;
  readonly credentials: Credentials;
  readonly kubectl: Kubectl;
}

/**
 * Installs DNS, metrics, the kinds of the charts that extend Kubernetes, and volumes; starts
 * cert-manager's controllers; waits for DNS and metrics.
 */
export async function installAddOns(
  { programs, daemons, credentials, kubectl }: Around,
  volumeDir: string,
): Promise<void> {
  const kinds = (await crdFiles()).map(async (file) => parse(await readFile(file, "utf8")) as object);
  await kubectl.apply([...dns(), ...metrics(), ...(await Promise.all(kinds)), ...(await volumes(volumeDir))]);
  await daemons.start(programs["cert-manager"], [`--kubeconfig=${credentials.kubeconfig("cert-manager")}`]);
  for (const name of ["coredns", "metrics-server"])
    await kubectl.run(["--namespace", "kube-system", "rollout", "status", `deployment/${name}`, "--timeout=120s"]);
}
