import type { Kubectl } from "./kubectl.ts";
import { run } from "./run.ts";

/** What the network plugin of a cluster does with NetworkPolicies: here as one table of nftables. */

type Labels = Readonly<Record<string, string>>;

interface Selector {
  readonly matchLabels?: Labels;
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Port {
  readonly port?: number | string;
  readonly protocol?: string;
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly Port[];
}

export interface Policy {
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ("Ingress" | "Egress")[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
}

export interface Pod {
  readonly metadata: { readonly namespace: string; readonly labels?: Labels };
  readonly spec: {
    readonly hostNetwork?: boolean;
    readonly containers: readonly { readonly ports?: readonly ContainerPort[] }[];
    readonly initContainers?: readonly { readonly ports?: readonly ContainerPort[] }[];
  };
  readonly status: { readonly podIP?: string; readonly phase?: string };
}

export interface Namespace {
  readonly metadata: { readonly name: string; readonly labels?: Labels };
}

export interface Cluster {
  readonly policies: readonly Policy[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
}

const matches = ({ matchLabels = {} }: Selector, labels: Labels = {}): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);

const runs = ({ status, spec }: Pod): boolean =>
  status.podIP !== undefined && spec.hostNetwork !== true && !["Succeeded", "Failed"].includes(status.phase ?? "");

/** Addresses of the pods that a peer selects; `home` is the policy's namespace. */
function podsOf(peer: Peer, home: string, { pods, namespaces }: Cluster): Pod[] {
  const { podSelector = {}, namespaceSelector } = peer;
  const chosen = namespaces
    .filter(({ metadata }) =>
      namespaceSelector === undefined ? metadata.name === home : matches(namespaceSelector, metadata.labels),
    )
    .map(({ metadata }) => metadata.name);
  return pods.filter(({ metadata }) => chosen.includes(metadata.namespace) && matches(podSelector, metadata.labels));
}

/** The number of a port; a name is one of the pod that receives. */
function numberOf(port: number | string, receivers: readonly Pod[]): number[] {
  if (typeof port === "number") return [port];
  const all = receivers.flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])]);
  const named = all.flatMap(({ ports = [] }) => ports).filter(({ name }) => name === port);
  return [...new Set(named.map(({ containerPort }) => containerPort))];
}

const setOf = (values: readonly (string | number)[]): string => `{ ${[...new Set(values)].join(", ")} }`;

/** The statements that accept what a rule does; `side` is the address that the rule's peers have. */
function statements(rule: Rule, side: "saddr" | "daddr", home: string, cluster: Cluster, pod: Pod): string[] {
  const peers = (side === "saddr" ? rule.from : rule.to) ?? [];
  const selected = peers.filter(({ ipBlock }) => ipBlock === undefined).flatMap((peer) => podsOf(peer, home, cluster));
  const addresses = selected.filter(runs).map(({ status }) => status.podIP as string);
  const ends: string[] = [];
  if (peers.length === 0) ends.push("");
  if (addresses.length > 0) ends.push(`ip ${side} ${setOf(addresses)}`);
  for (const { ipBlock } of peers) {
    if (ipBlock === undefined || ipBlock.cidr.includes(":")) continue;
    const except = ipBlock.except ?? [];
    ends.push(`ip ${side} ${ipBlock.cidr}${except.length > 0 ? ` ip ${side} != ${setOf(except)}` : ""}`);
  }
  const receivers = side === "saddr" ? [pod] : selected;
  const ports = (rule.ports ?? [{}]).flatMap(({ port, protocol = "TCP" }) =>
    port === undefined ? [""] : numberOf(port, receivers).map((n) => `${protocol.toLowerCase()} dport ${n}`),
  );
  return ends.flatMap((end) => ports.map((port) => `    ${[end, port].filter(Boolean).join(" ")} return`));
}

/** The chain of a pod in one direction; undefined if no policy isolates it. */
function chainOf(pod: Pod, direction: "Ingress" | "Egress", cluster: Cluster): string | undefined {
  const { namespace, labels } = pod.metadata;
  const own = cluster.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === namespace && spec.policyTypes.includes(direction) && matches(spec.podSelector, labels),
  );
  if (own.length === 0) return undefined;
  const [side, rulesOf] =
    direction === "Ingress"
      ? (["saddr", ({ spec }: Policy) => spec.ingress] as const)
      : (["daddr", ({ spec }: Policy) => spec.egress] as const);
  const lines = own.flatMap((policy) =>
    (rulesOf(policy) ?? []).flatMap((rule) => statements(rule, side, namespace, cluster, pod)),
  );
  return [...lines, "    counter name denied drop"].join("\n");
}

const nameOf = (direction: string, ip: string): string => `${direction.toLowerCase()}-${ip.replaceAll(".", "-")}`;

/**
 * The table that enforces the policies of a cluster whose pods' packets are all forwarded. Services'
 * addresses are those of pods when the packets arrive here.
 */
export function policyTable(cluster: Cluster): string {
  const chains: string[] = [];
  const jumps: Record<"Egress" | "Ingress", string[]> = { Egress: [], Ingress: [] };
  for (const pod of cluster.pods.filter(runs)) {
    const ip = pod.status.podIP as string;
    for (const direction of ["Egress", "Ingress"] as const) {
      const body = chainOf(pod, direction, cluster);
      if (body === undefined) continue;
      chains.push(`  chain ${nameOf(direction, ip)} {\n${body}\n  }`);
      jumps[direction].push(`${ip} : jump ${nameOf(direction, ip)}`);
    }
  }
  const vmap = (field: string, entries: readonly string[]): string[] =>
    entries.length === 0 ? [] : [`    ip ${field} vmap { ${entries.join(", ")} }`];
  const forward = [
    "    type filter hook forward priority filter; policy accept;",
    "    ct state established,related accept",
    ...vmap("saddr", jumps.Egress),
    ...vmap("daddr", jumps.Ingress),
  ];
  const table = [...chains, `  chain forward {\n${forward.join("\n")}\n  }`].join("\n");
  return `table ip policies\nflush table ip policies\ntable ip policies {\n  counter denied { }\n${table}\n}\n`;
}

const pollMs = 500;

/** Follows the cluster's pods and policies until it is stopped. */
export class PolicyController implements AsyncDisposable {
  readonly #kubectl: Kubectl;
  readonly #stopped = new AbortController();
  readonly #working: Promise<void>;
  #table = "";

  constructor(kubectl: Kubectl) {
    this.#kubectl = kubectl;
    this.#working = this.#follow();
  }

  async #follow(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#apply().catch((error: unknown) => process.stderr.write(`policies: ${String(error)}\n`));
      await new Promise((wake) => setTimeout(wake, pollMs));
    }
  }

  async #apply(): Promise<void> {
    const [policies, pods, namespaces] = await Promise.all([
      this.#kubectl.list<Policy>("/apis/networking.k8s.io/v1/networkpolicies"),
      this.#kubectl.list<Pod>("/api/v1/pods"),
      this.#kubectl.list<Namespace>("/api/v1/namespaces"),
    ]);
    const table = policyTable({ policies, pods, namespaces });
    if (table === this.#table) return;
    await run("nft", ["-f", "-"], table);
    this.#table = table;
  }

  /** Packets that a policy denied so far. */
  async denied(): Promise<number> {
    const text = await run("nft", ["list", "counter", "ip", "policies", "denied"]);
    return Number(/packets (\d+)/.exec(text)?.[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#working;
  }
}
