/** Addresses of the cluster, all inside the node's own network namespace. */
export const addresses = {
  node: "10.77.0.1",
  pods: "10.78.0.0/16",
  services: "10.96.0.0/16",
  dns: "10.96.0.10",
} as const;

export const nodeName = "uag-node";
export const apiServer = `https://${addresses.node}:6443`;
/** The API server without TLS and tokens, for the controllers of this command. */
export const proxyPort = 8001;
export const etcdUrl = "http://127.0.0.1:2379";
export const containerdSocket = "/run/containerd/containerd.sock";
