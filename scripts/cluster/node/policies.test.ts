import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cluster, type Pod, policyTable } from "./policies.ts";

const pod = (name: string, ip: string, labels: Record<string, string> = { app: name }): Pod => ({
  metadata: { namespace: "uag", labels },
  spec: { containers: [{ ports: [{ name: "grpc", containerPort: 50051 }] }] },
  status: { podIP: ip, phase: "Running" },
});

const chatAndBilling: Cluster = {
  namespaces: [{ metadata: { name: "uag" } }, { metadata: { name: "other" } }],
  pods: [
    pod("chat", "10.78.0.2"),
    pod("billing", "10.78.0.3"),
    { ...pod("chat", "10.78.0.4"), metadata: { namespace: "other", labels: { app: "chat" } } },
    { ...pod("job", "10.78.0.5"), status: { podIP: "10.78.0.5", phase: "Succeeded" } },
  ],
  policies: [
    {
      metadata: { namespace: "uag" },
      spec: {
        podSelector: { matchLabels: { app: "billing" } },
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ from: [{ podSelector: { matchLabels: { app: "chat" } } }], ports: [{ port: "grpc" }] }],
        egress: [
          { ports: [{ port: 53, protocol: "UDP" }] },
          { to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] } }], ports: [{ port: 443 }] },
        ],
      },
    },
  ],
};

test("a pod accepts only what its policies name, from pods of its own namespace", () => {
  const table = policyTable(chatAndBilling);
  const ingress = /chain ingress-10-78-0-3 \{\n([^}]*\}[^}]*)\}/.exec(table)?.[1] ?? assert.fail(table);
  assert.deepEqual(ingress.trim().split(/\n\s*/), [
    "ip saddr { 10.78.0.2 } tcp dport 50051 return",
    "counter name denied drop",
  ]);
});

test("an address block excludes its exceptions, and a rule without peers is for every address", () => {
  const table = policyTable(chatAndBilling);
  assert.match(table, /ip daddr 0\.0\.0\.0\/0 ip daddr != \{ 10\.0\.0\.0\/8 \} tcp dport 443 return/);
  assert.match(table, /\n {4}udp dport 53 return\n/);
});

test("pods without a policy, and pods that have ended, are not in the table", () => {
  const table = policyTable(chatAndBilling);
  assert.ok(!table.includes("chain ingress-10-78-0-2"));
  assert.ok(!table.includes("10.78.0.5"));
  assert.match(table, /ip saddr vmap \{ 10\.78\.0\.3 : jump egress-10-78-0-3 \}/);
});
