// npm run k8s: a real Kubernetes on this machine, with the fleet's charts on it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repoRoot } from "@uag/local/paths";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { crdFiles } from "../charts/schemas.ts";
import { runToolOf } from "../charts/tools.ts";
import { writeImages } from "./images.ts";
import { installPackages } from "./packages.ts";
import { findPrograms } from "./programs.ts";
import { proofNames } from "./proofs/names.ts";

const help = `npm run k8s [-- --no-build] [--keep] [--only <proof,...>]

Starts a Kubernetes of one node on this machine, installs the fleet's charts with Helm, sends requests through the router's
Service, and runs proofs under load: ${proofNames.join(", ")}.

The node is a set of namespaces (mounts, network, processes) that ends with the command: etcd, kube-apiserver,
kube-controller-manager, kube-scheduler, kubelet, kube-proxy, containerd, runc, CNI and cert-manager's controllers, with
CoreDNS and metrics-server as pods. The command itself enforces the charts' NetworkPolicies with nftables. Requires root and
Debian's apt. The first start installs Docker, which builds the images from infra/Dockerfile as npm run image -- --docker
--base local does, and builds Kubernetes, etcd, CoreDNS, cert-manager, metrics-server and Helm with Go into .data/bin, which
takes half an hour.

--no-build uses the images of the last run; --keep continues until Ctrl-C; --only runs some proofs, or none ("--only none").
`;

/** Namespaces in which everything below this process runs; all of it ends with the first process. */
const namespaces = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child=SIGKILL", "--mount-proc"];
/** A shell as the first process reaps the orphans of containerd's shims. */
const firstProcess = ["sh", "-c", '"$@"; exit $?', "sh"];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "no-build": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      only: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    print(help);
    return 0;
  }
  if (process.getuid?.() !== 0) throw new UserError("npm run k8s needs root: for namespaces, mounts and containers.");
  await installPackages();
  const programs = await findPrograms();
  // The node has no network: what it needs of Go's proxy is fetched here.
  await runToolOf("helm", ["version"]);
  await crdFiles();
  const dir = join(repoRoot, ".data/k8s");
  await mkdir(dir, { recursive: true });
  const archive = join(dir, "images.tar");
  if (!values["no-build"]) await writeImages(programs, archive);
  const inputs = { programs, dir, images: archive, keep: values.keep, only: values.only?.split(",") };
  const inputsFile = join(dir, "inputs.json");
  await writeFile(inputsFile, JSON.stringify(inputs));
  const inside = [process.execPath, join(repoRoot, "scripts/run.mjs"), "scripts/cluster/inside.ts", inputsFile];
  const node = spawn("unshare", [...namespaces, "--", ...firstProcess, ...inside], { stdio: "inherit", cwd: repoRoot });
  process.on("SIGINT", () => undefined);
  const [code] = await once(node, "exit");
  return code ?? 1;
}

process.exit(await main().catch(fail));
