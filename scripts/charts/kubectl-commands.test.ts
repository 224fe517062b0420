import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "./charts.ts";
import { commandsIn, problemsOf } from "./kubectl-commands.ts";

const workload = (kind: string, name: string): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: `uag-${name}` },
  spec: {
    template: {
      metadata: { labels: { "app.kubernetes.io/name": name } },
      spec: { containers: [{ name }] },
    },
    volumeClaimTemplates: kind === "StatefulSet" ? [{ metadata: { name: "journal" } }] : undefined,
  },
});
const objects = [workload("Deployment", "router"), workload("Deployment", "mcp"), workload("StatefulSet", "chat")];

test("commands are found in backticks and in indented lines, each on one line without its comment", () => {
  const text =
    "Run `kubectl get\npods`.\n\n       kubectl wait pod \\\n         --for=delete\n       kubectl logs a   # b\nkubectl is a program, and `kubectl exec` a part of it.\n";
  assert.deepEqual(commandsIn(text), ["kubectl get pods", "kubectl wait pod --for=delete", "kubectl logs a"]);
});

test("a command may name only workloads, containers, services and claims that the charts have", () => {
  const valid = [
    "kubectl scale deployment uag-router uag-mcp --replicas=0",
    "kubectl exec deploy/uag-router -- node uag.js audit -c x",
    "kubectl logs <pod> -c chat",
    "kubectl wait pod -l 'app.kubernetes.io/name in (router,chat)'",
    "kubectl logs -l app.kubernetes.io/name=<name> --prefix",
    "kubectl delete pvc journal-<pod>",
  ];
  for (const text of valid) assert.deepEqual(problemsOf(text, objects), [], text);
  const invalid = {
    "kubectl scale deployment uag-router uag-chat --replicas=0": ["no Deployment uag-chat"],
    "kubectl port-forward deploy/router 8080": ["no Deployment router"],
    "kubectl exec deploy/uag-router": ["no command to execute"],
    "kubectl logs <pod> -c mongod": ["no container mongod"],
    "kubectl get pods -l app.kubernetes.io/name=nats -o wide": ["no pod of nats"],
    "kubectl delete pvc data-<pod>": ["no claim data"],
  };
  for (const [text, problems] of Object.entries(invalid)) assert.deepEqual(problemsOf(text, objects), problems, text);
});
