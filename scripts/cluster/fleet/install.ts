import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import { serviceNames } from "@uag/contract/routes";
import { makeAuthority } from "@uag/local/identity/authority";
import { repoRoot } from "@uag/local/paths";
import { providerSettings } from "@uag/local/providers";
import { buildCharts, fleetChart } from "../../charts/charts.ts";
import { runToolOf } from "../../charts/tools.ts";
import { version } from "../../image/images.ts";
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
  const container = { name: "simulator", image: `uag/simulator:${version}`, env, readinessProbe };
  const template = { metadata: { labels }, spec: { enableServiceLinks: false, containers: [container] } };
  return [
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector: { matchLabels: labels }, template } },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: Number(port) }] } },
  ];
}

/** The Issuer that the charts' Certificates name, with an authority of its own. */
async function issuer(): Promise<object[]> {
  const { cert, key } = await makeAuthority();
  const [name, secretName] = ["uag", "uag-authority"];
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secretName, namespace },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": cert, "tls.key": key },
    },
    {
      apiVersion: "cert-manager.io/v1",
      kind: "Issuer",
      metadata: { name, namespace },
      spec: { ca: { secretName } },
    },
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
   * @param changes values by chart, over those of the installation
   */
  async upgrade(changes: Readonly<Record<string, object>> = {}): Promise<void> {
    const file = join(this.#dir, "values.json");
    const changed = Object.entries(changes).map(([chart, values]) => [chart, { ...this.#values[chart], ...values }]);
    await writeFile(file, JSON.stringify({ ...this.#values, ...Object.fromEntries(changed) }));
    const chart = join(this.#dir, "charts", fleetChart);
    const values = ["--values", file, "--set-file", `global.catalog.content=${catalogFile}`];
    await this.#helm("upgrade", "--install", "uag", chart, ...values);
  }

  /** Upgrades with one further key of the Secrets of some charts, such as the previous value of another key. */
  accept(key: string, charts: readonly string[]): Promise<void> {
    const keysOf = (chart: string): readonly string[] =>
      (this.#values[chart] as { readonly extraSecretKeys?: readonly string[] }).extraSecretKeys ?? [];
    return this.upgrade(
      Object.fromEntries(charts.map((chart) => [chart, { extraSecretKeys: [...keysOf(chart), key] }])),
    );
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
  await kubectl.apply([...(await issuer()), ...simulator()]);
  await createSecrets(
    kubectl,
    Object.fromEntries(Object.entries(providers).filter(([name]) => name.endsWith("_API_KEY"))),
  );
  await buildCharts(join(dir, "charts"));
  const release = new Release(kubectl, dir, clusterValues(providers));
  await release.upgrade();
  return release;
}
