import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Programs } from "../programs.ts";
import type { Credentials } from "./credentials.ts";
import type { Daemons } from "./daemon.ts";
import type { Kubectl } from "./kubectl.ts";
import { run } from "./run.ts";
import { addresses, containerdSocket, nodeName } from "./settings.ts";

const containerdConfig = (cni: string): string => `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
address = "${containerdSocket}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "uag.local/pause:1"
# Without CAP_SYS_RESOURCE a process cannot lower the score of another.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${cni}"
`;

/** Each pod has a route of its own, so that all its packets pass the node's rules. */
const network = {
  cniVersion: "0.4.0",
  name: "uag",
  plugins: [
    {
      type: "ptp",
      ipMasq: false,
      ipam: { type: "host-local", ranges: [[{ subnet: addresses.pods }]], routes: [{ dst: "0.0.0.0/0" }] },
    },
    { type: "portmap", capabilities: { portMappings: true } },
  ],
};

const kubeletConfig = (resolvConf: string): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  // Only the node's own network reaches the kubelet.
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  cgroupDriver: "cgroupfs",
  containerRuntimeEndpoint: `unix://${containerdSocket}`,
  clusterDNS: [addresses.dns],
  clusterDomain: "cluster.local",
  resolvConf,
  failSwapOn: false,
  failCgroupV1: false,
  oomScoreAdj: 0,
  // The machine's disk is not the cluster's.
  evictionHard: { "memory.available": "200Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
});

const proxyConfig = (kubeconfig: string): object => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "iptables",
  clientConnection: { kubeconfig },
  clusterCIDR: addresses.pods,
  hostnameOverride: nodeName,
  conntrack: { maxPerCore: 0, min: 0 },
  oomScoreAdj: 0,
});

interface Around {
  readonly programs: Programs;
  readonly daemons: Daemons;
  readonly credentials: Credentials;
  readonly state: string;
  readonly kubectl: Kubectl;
  /** Archive with all images. */
  readonly images: string;
}

/** Starts containerd with the images, the kubelet and kube-proxy; returns when the node is ready. */
export async function startNode({ programs, daemons, credentials, state, kubectl, images }: Around): Promise<void> {
  const dir = join(state, "node");
  const cni = join(dir, "cni");
  await mkdir(cni, { recursive: true });
  const write = async (name: string, content: string): Promise<string> => {
    await writeFile(join(dir, name), content);
    return join(dir, name);
  };
  await writeFile(join(cni, "10-uag.conflist"), JSON.stringify(network));
  await daemons.start("containerd", ["--config", await write("containerd.toml", containerdConfig(cni))]);
  await importImages(images);
  const resolvConf = await write("resolv.conf", "");
  const kubelet = await write("kubelet.json", JSON.stringify(kubeletConfig(resolvConf)));
  await daemons.start(programs.kubelet, [
    `--config=${kubelet}`,
    `--kubeconfig=${credentials.kubeconfig("kubelet")}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${addresses.node}`,
    "--root-dir=/var/lib/kubelet",
    "--node-labels=topology.kubernetes.io/zone=zone-a",
  ]);
  const proxy = await write("kube-proxy.json", JSON.stringify(proxyConfig(credentials.kubeconfig("kube-proxy"))));
  await kubectl.apply([
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "kube-proxy" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:node-proxier" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "system:kube-proxy" }],
    },
  ]);
  await daemons.start(programs["kube-proxy"], [`--config=${proxy}`]);
  await kubectl.until(["wait", "--for=condition=Ready", `node/${nodeName}`, "--timeout=5s"], { seconds: 120 });
}

async function importImages(archive: string): Promise<void> {
  const ctr = (...args: readonly string[]): Promise<string> =>
    run("ctr", ["--address", containerdSocket, "--namespace", "k8s.io", ...args]);
  const isServing = async (): Promise<boolean> => {
    const versions = await ctr("version").catch(() => undefined);
    return versions !== undefined;
  };
  for (let tries = 0; tries < 100 && !(await isServing()); tries++) await new Promise((wake) => setTimeout(wake, 200));
  await ctr("images", "import", "--no-unpack", archive);
}
