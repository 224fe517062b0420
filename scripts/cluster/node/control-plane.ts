import { join } from "node:path";
import type { Programs } from "../programs.ts";
import type { Credentials } from "./credentials.ts";
import type { Daemons } from "./daemon.ts";
import type { Kubectl } from "./kubectl.ts";
import { addresses, etcdUrl, proxyPort } from "./settings.ts";

interface Around {
  readonly programs: Programs;
  readonly daemons: Daemons;
  readonly credentials: Credentials;
  readonly state: string;
  readonly kubectl: Kubectl;
}

/** Starts etcd, the API server, the controller manager and the scheduler. */
export async function startControlPlane({ programs, daemons, credentials, state, kubectl }: Around): Promise<void> {
  const { tokens, certDir, serviceAccountKey, frontProxy, kubeconfig } = credentials;
  await daemons.start(programs.etcd, [
    `--data-dir=${join(state, "etcd")}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    // The cluster is made anew at each start.
    "--unsafe-no-fsync",
  ]);
  await daemons.start(programs["kube-apiserver"], [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=0.0.0.0",
    `--advertise-address=${addresses.node}`,
    `--service-cluster-ip-range=${addresses.services}`,
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--allow-privileged=true",
    `--cert-dir=${certDir}`,
    `--token-auth-file=${tokens}`,
    "--kubelet-preferred-address-types=InternalIP",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
    `--requestheader-client-ca-file=${frontProxy.ca}`,
    `--requestheader-allowed-names=${frontProxy.name}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${frontProxy.cert}`,
    `--proxy-client-key-file=${frontProxy.key}`,
  ]);
  await kubectl.until(["get", "--raw=/readyz"], { seconds: 180 });
  await daemons.start(programs.kubectl, ["proxy", `--kubeconfig=${kubeconfig("admin")}`, `--port=${proxyPort}`]);
  await daemons.start(programs["kube-controller-manager"], [
    `--kubeconfig=${kubeconfig("kube-controller-manager")}`,
    `--service-account-private-key-file=${serviceAccountKey}`,
    `--root-ca-file=${join(certDir, "apiserver.crt")}`,
    "--use-service-account-credentials=true",
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    // By default a new pod's processor time counts after five minutes.
    "--horizontal-pod-autoscaler-cpu-initialization-period=30s",
  ]);
  const scheduler = [
    `--kubeconfig=${kubeconfig("kube-scheduler")}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
  ];
  await daemons.start(programs["kube-scheduler"], scheduler);
}
