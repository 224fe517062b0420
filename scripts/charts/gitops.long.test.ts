import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { repoRoot } from "@uag/local/paths";
import { parse, parseAllDocuments, stringify } from "yaml";
import { buildCharts, fleetChart, type KubeObject, objectsIn } from "./charts.ts";
import { kubeVersion } from "./schemas.ts";
import { runToolOf } from "./tools.ts";

let dir: string;
/** A checkout of `infra` as a controller has it: what git has, and nothing built. */
let checkout: string;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "gitops-"));
  checkout = join(dir, "checkout");
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "infra"];
  const { stdout } = await promisify(execFile)("git", args, { cwd: repoRoot });
  for (const file of stdout.trim().split("\n")) {
    await mkdir(dirname(join(checkout, file)), { recursive: true });
    await cp(join(repoRoot, file), join(checkout, file));
  }
});

after(() => rm(dir, { recursive: true, force: true }));

const catalogArgs = ["--set-file", `global.catalog.content=${join(repoRoot, "infra/config/catalog.yaml")}`];

const readObjects = async (file: string): Promise<KubeObject[]> =>
  parseAllDocuments(await readFile(join(checkout, "infra/gitops", file), "utf8")).map((one) => one.toJS());

async function writeValues(name: string, values: unknown): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, stringify(values));
  return file;
}

/** Both controllers add a chart's own dependencies from their folders, and not the dependencies of those. */
const addDependencies = (chart: string): Promise<string> => runToolOf("helm", ["dependency", "build", chart]);

const template = async (
  chart: string,
  release: string,
  namespace: string,
  args: readonly string[],
): Promise<string> => {
  const place = ["--name-template", release, "--namespace", namespace, "--kube-version", kubeVersion, "--include-crds"];
  return runToolOf("helm", ["template", chart, ...place, ...args]);
};

const objectNamed = (objects: readonly KubeObject[], kind: string, name: string): KubeObject => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  return found ?? assert.fail(`no ${kind} ${name} is rendered`);
};

test("Argo CD renders the example of an Application from git, with its values and the catalogue", async () => {
  const [application] = await readObjects("argocd.yaml");
  const { source, destination } = application?.spec ?? assert.fail("no Application");
  const chart = join(checkout, source.path);
  await addDependencies(chart);
  const files = source.helm.fileParameters.flatMap(({ name, path }: { name: string; path: string }) => [
    "--set-file",
    `${name}=${join(chart, path)}`,
  ]);
  const values = ["--values", await writeValues("argocd.yaml", source.helm.valuesObject)];
  const objects = objectsIn(
    await template(chart, source.helm.releaseName, destination.namespace, [...files, ...values]),
  );
  assert.match(objectNamed(objects, "ConfigMap", "uag-catalog").data?.["catalog.yaml"] ?? "", /^models:/m);
  const router = objectNamed(objects, "Deployment", "uag-router").spec.template.spec.containers[0];
  assert.match(router.image, /^registry\.example\.com\/uag\/router:\d/);
  objectNamed(objects, "HTTPRoute", "uag-router");
  objectNamed(objects, "StatefulSet", "uag-chat");
});

test("Flux renders the example of a HelmRelease from git, whose pods read the catalogue that its Kustomization makes", async () => {
  const objects = await readObjects("flux.yaml");
  const repository = objectNamed(objects, "GitRepository", "uag");
  const { spec, metadata } = objectNamed(objects, "HelmRelease", "uag") as KubeObject & {
    metadata: { namespace: string };
  };
  assert.equal(spec.chart.spec.sourceRef.name, repository.metadata.name);
  const chart = join(checkout, spec.chart.spec.chart);
  await addDependencies(chart);
  const values = ["--values", await writeValues("flux.yaml", spec.values)];
  const rendered = objectsIn(await template(chart, spec.releaseName, metadata.namespace, values));
  const kustomization = objectNamed(objects, "Kustomization", "uag-catalog");
  const { configMapGenerator } = parse(
    await readFile(join(checkout, kustomization.spec.path, "kustomization.yaml"), "utf8"),
  );
  const [generator] = configMapGenerator;
  assert.equal(generator.options.disableNameSuffixHash, true);
  assert.ok(!rendered.some((object) => object.kind === "ConfigMap" && object.metadata.name === generator.name));
  const { volumes } = objectNamed(rendered, "StatefulSet", "uag-chat").spec.template.spec;
  const mounted = volumes.find(({ name }: { name: string }) => name === "catalog").configMap.name;
  assert.deepEqual([mounted, generator.files], [generator.name, ["catalog.yaml"]]);
  assert.match(await readFile(join(checkout, kustomization.spec.path, "catalog.yaml"), "utf8"), /^models:/m);
});

test("a packaged fleet renders the same objects as the charts in git with all their own dependencies, without a warning", async () => {
  const chart = join(checkout, "infra/helm", fleetChart);
  await addDependencies(chart);
  const packed = /saved it to: (.+)$/m.exec(await runToolOf("helm", ["package", chart, "--destination", dir]))?.[1];
  assert.ok(packed);
  const args = [...catalogArgs, "--set", "global.nats.bundled=true,global.mongodb.bundled=true,toolbox.enabled=true"];
  const rendered = await template(packed, "uag", "uag", args);
  const whole = join(dir, "whole");
  await buildCharts(whole);
  // Now that each chart has its own dependencies, the fleet's contains them twice.
  await addDependencies(join(whole, fleetChart));
  assert.equal(rendered, await template(join(whole, fleetChart), "uag", "uag", args));
  assert.ok(!/warning/i.test(rendered), "Helm warns of nothing");
  assert.ok(objectsIn(rendered).length > 100);
});

test("every chart has a lock of its dependencies, without which a build is not reproducible", async () => {
  const chart = join(checkout, "infra/helm", fleetChart);
  const { dependencies, digest } = parse(await readFile(join(chart, "Chart.lock"), "utf8"));
  const declared = parse(await readFile(join(chart, "Chart.yaml"), "utf8")).dependencies;
  const shown = (list: readonly { name: string; version: string }[]): unknown =>
    list.map(({ name, version }) => ({ name, version }));
  assert.deepEqual(shown(dependencies), shown(declared));
  assert.match(digest, /^sha256:/);
  const file = join(chart, "Chart.yaml");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace("condition: router.enabled", "condition: router.on"));
  await assert.rejects(addDependencies(chart), /out of sync/);
  await writeFile(file, text);
});
