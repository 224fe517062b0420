// Runs inside the node's namespaces; started by main.ts.
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, print, step } from "@uag/local/terminal/step";
import { Gateway } from "./fleet/gateway.ts";
import { installFleet } from "./fleet/install.ts";
import { installAddOns } from "./node/add-ons.ts";
import { startControlPlane } from "./node/control-plane.ts";
import { makeCredentials } from "./node/credentials.ts";
import { Daemons } from "./node/daemon.ts";
import { Kubectl } from "./node/kubectl.ts";
import { prepareMachine } from "./node/machine.ts";
import { startNode } from "./node/node.ts";
import { PolicyController } from "./node/policies.ts";
import type { Programs } from "./programs.ts";
import { runProofs } from "./proofs/proofs.ts";

interface Inputs {
  readonly programs: Programs;
  readonly dir: string;
  readonly images: string;
  readonly keep: boolean;
  readonly only?: readonly string[];
}

async function main(): Promise<number> {
  const inputs = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as Inputs;
  const { programs, dir } = inputs;
  const state = join(dir, "state");
  await rm(state, { recursive: true, force: true });
  const volumeDir = join(state, "volumes");
  await mkdir(state, { recursive: true });
  await prepareMachine(state);
  const credentials = await makeCredentials(join(state, "credentials"));
  const kubectl = new Kubectl(programs.kubectl, credentials.kubeconfig("admin"));
  await using daemons = new Daemons(join(state, "logs"));
  const around = { programs, daemons, credentials, state, kubectl };
  await step("Starting the control plane", () => startControlPlane(around));
  await step("Starting the node", () => startNode({ ...around, images: inputs.images }));
  await step("Installing DNS, metrics, volumes and cert-manager", () => installAddOns(around, volumeDir));
  print(await kubectl.run(["get", "nodes", "--output=wide"]));
  await using policies = new PolicyController(kubectl);
  let failed = 0;
  try {
    const release = await step("helm upgrade --install --wait", () => installFleet(kubectl, state));
    print(await kubectl.run(["--namespace", "uag", "get", "pods"]));
    const gateway = await Gateway.open(kubectl);
    failed = await runProofs({ kubectl, release, gateway, policies, volumeDir }, inputs.only);
  } catch (error) {
    failed++;
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.stderr.write(await kubectl.run(["get", "pods", "--all-namespaces"]));
  }
  if (inputs.keep) {
    print(`Enter the node with: nsenter --target $(pgrep --newest --full cluster/inside.ts) --all`);
    print(`Then: export KUBECONFIG=${kubectl.kubeconfig}; ${programs.kubectl} get pods`);
    await new Promise((wake) => process.once("SIGINT", wake).once("SIGTERM", wake));
  }
  return failed === 0 ? 0 : 1;
}

process.exit(await main().catch(fail));
