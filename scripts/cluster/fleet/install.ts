import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import { serviceNames } from "@uag/contract/routes";
import { repoRoot } from "@uag/local/paths";
import { services } from "@uag/local/processes";
import { providerSettings } from "@uag/local/providers";
import { buildCharts, fleetChart } from "../../charts/charts.ts";
import { runToolOf } from "../../charts/tools.ts";
import type { Kubectl } from "../node/kubectl.ts";
import { run } from "../node/run.ts";
import { clusterValues, simulatorAddress } from "./values.ts";

export const namespace = "uag";
const catalogFile = join(repoRoot, "infra/config/catalog.yaml");

/** The providers' simulator, which no chart has: it is for trials alone. */
function simulator(): object[] {
  const metadata = { name: "simulator", namespace };
  const labels = { app: "simulator" };
  const [, port] = simulatorAddress.split(":");
  const env = [
    { name: "HOST", value: "0.0.0.0" },
    { name: "PORT", value: port },
  ];
  const readinessProbe = { httpGet: { path: "/sim/health", port: Number(port) }, periodSeconds: 1 };
  const container = { name: "simulator", image: "uag/simulator:1.0.0", env, readinessProbe };
  const template = { metadata: { labels }, spec: { enableServiceLinks: false, containers: [container] } };
  return [
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector: { matchLabels: labels }, template } },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: Number(port) }] } },
  ];
}

/** What `npm run secrets` prints, and the providers' keys, which it leaves to the operator. */
async function createSecrets(kubectl: Kubectl, keys: Readonly<Record<string, string>>): Promise<void> {
  const program = [join(repoRoot, "scripts/run.mjs"), "scripts/secrets/main.ts"];
  const secrets = await run(process.execPath, [...program, "--namespace", namespace]);
  await kubectl.run(["apply", "--server-side", "-f", "-"], secrets);
  for (const service of serviceNames) {
    const patch = JSON.stringify({ stringData: keys });
    await kubectl.run(["--namespace", namespace, "patch", "secret", `uag-${service}`, "--patch", patch]);
  }
}

export class Release {
  readonly #kubectl: Kubectl;
  readonly #dir: string;
  readonly #values: Readonly<Record<string, object>>;

  constructor(kubectl: Kubectl, dir: string, values: Readonly<Record<string, object>>) {
    this.#kubectl = kubectl;
    this.#dir = dir;
    this.#values = values;
  }

  /**
   * Installs or upgrades the fleet's chart and waits until all of it is ready.
   * @param annotations of the pods of all services: a change replaces them
   */
  async upgrade(annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    const file = join(this.#dir, "values.json");
    const ofServices = services.map(({ name }) => [name, { ...this.#values[name], podAnnotations: annotations }]);
    await writeFile(file, JSON.stringify({ ...this.#values, ...Object.fromEntries(ofServices) }));
    const chart = join(this.#dir, "charts", fleetChart);
    const values = ["--values", file, "--set-file", `global.catalog.content=${catalogFile}`];
    await this.#helm("upgrade", "--install", "uag", chart, ...values);
  }

  /** Returns to the release before. */
  rollback(): Promise<void> {
    return this.#helm("rollback", "uag");
  }

  async #helm(...args: readonly string[]): Promise<void> {
    const place = [`--kubeconfig=${this.#kubectl.kubeconfig}`, "--namespace", namespace];
    await runToolOf("helm", [...args, ...place, "--wait", "--timeout", "15m"]);
  }
}

/** Installs the fleet as the handbook says. */
export async function installFleet(kubectl: Kubectl, dir: string): Promise<Release> {
  const environments = providerEnvironments(await readFile(catalogFile, "utf8"));
  const providers = providerSettings(environments, {}, `http://${simulatorAddress}`);
  await kubectl.apply([{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
  await kubectl.apply(simulator());
  await createSecrets(
    kubectl,
    Object.fromEntries(Object.entries(providers).filter(([name]) => name.endsWith("_API_KEY"))),
  );
  await buildCharts(join(dir, "charts"));
  const release = new Release(kubectl, dir, clusterValues(providers));
  await release.upgrade();
  return release;
}
