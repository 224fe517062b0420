// npm run k8s:local: runs the charts' pods on this machine.
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { repoRoot } from "@uag/local/paths";
import { fail, step, UserError } from "@uag/local/terminal/step";
import { assemble } from "../image/assemble.ts";
import { images } from "../image/images.ts";
import { type Cluster, startCluster } from "./cluster.ts";

const help = `npm run k8s:local [-- --no-build] [--bundled] [--keep] [--rest <seconds>]

Renders the fleet's chart and runs its pods on this machine: each as a process with its own read-only file system and an
unprivileged user, with the manifests' environment, ports and probes, the images' trees, and this machine's MongoDB and NATS.
With --bundled the engines are the fleet's own charts' three MongoDB members and three NATS servers, which are also replaced
under load. Sends requests, meanwhile replaces the replicas of chat one after another, and prints each pod's start time and
memory. Requires root, for mounts. --no-build uses the existing images' trees; --keep continues until Ctrl-C; --rest sets
the seconds to wait before memory is read (10).
`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function call({ baseUrl, apiKey }: Cluster): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return text;
}

/** The response to the first request, retried because a ready router may not have found the services yet. */
async function firstAnswer(cluster: Cluster): Promise<string> {
  for (const deadline = performance.now() + 15_000; ; await sleep(500)) {
    const answer = await call(cluster).catch((error: unknown) => error as Error);
    if (typeof answer === "string") return answer;
    if (performance.now() > deadline) throw answer;
  }
}

/** Replaces a service's replicas like a rolling update; returns the requests' outcomes. */
async function roll(cluster: Cluster, service: string): Promise<{ sent: number; failed: string[] }> {
  const over = new AbortController();
  const failed: string[] = [];
  let sent = 0;
  const pending = (async () => {
    while (!over.signal.aborted) {
      sent++;
      await call(cluster).catch((error: unknown) => failed.push(String(error)));
      await sleep(50);
    }
  })();
  for (const { name, workload } of cluster.pods.filter(({ workload }) => workload.service === service).reverse()) {
    await cluster.names.leaving(name, true);
    await sleep((workload.container.lifecycle.preStop.sleep?.seconds ?? 0) * 1_000);
    await cluster.supervisor.restart(name);
    await cluster.names.leaving(name, false);
    await sleep(5_000);
  }
  over.abort();
  await pending;
  return { sent, failed };
}

async function residentMiB(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function figures(cluster: Cluster): Promise<void> {
  print("pod                  ready after   idle resident memory");
  for (const { name } of cluster.pods) {
    const memory = (await residentMiB(cluster.supervisor.pid(name))).toFixed(0);
    const ready = ((cluster.readyMs.get(name) ?? 0) / 1000).toFixed(1);
    print(`${name.padEnd(20)} ${ready.padStart(8)} s ${memory.padStart(10)} MiB`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      bundled: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      "no-build": { type: "boolean", default: false },
      rest: { type: "string", default: "10" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return print(help);
  if (process.getuid?.() !== 0) throw new UserError("npm run k8s:local needs root: to mount each pod's file system.");
  const trees = join(repoRoot, ".data/images");
  for (const image of values["no-build"] ? [] : images)
    await step(`Assembling ${image.service}`, () => assemble(image, repoRoot, join(trees, image.service)));
  const dataDir = resolve(repoRoot, process.env["DATA_DIR"] ?? ".data/k8s-local");
  await rm(dataDir, { recursive: true, force: true });
  await using cluster = await startCluster({ dataDir, images: trees, bundled: values.bundled, report: print });
  print(`${cluster.pods.length} pods are ready. A request through the public server:\n${await firstAnswer(cluster)}`);
  await sleep(Number(values.rest) * 1_000);
  await figures(cluster);
  for (const service of values.bundled ? ["chat", "nats", "mongodb"] : ["chat"]) {
    const { sent, failed } = await roll(cluster, service);
    print(`${service}'s replicas were replaced: ${sent} requests meanwhile, ${failed.length} failed`);
    for (const failure of failed.slice(0, 5)) print(`  ${failure}`);
    if (failed.length > 0) process.exitCode = 1;
  }
  if (!values.keep) return;
  print(`OPENAI_BASE_URL=${cluster.baseUrl}/v1 OPENAI_API_KEY=${cluster.apiKey}`);
  await new Promise((wake) => process.once("SIGINT", wake).once("SIGTERM", wake));
}

await main().catch(fail);
