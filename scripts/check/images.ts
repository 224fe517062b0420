import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import { parse } from "yaml";
import type { Check } from "./check.ts";

/**
 * A container image that a file names: `repository:tag@sha256:...`, each part but the first
 * optional.
 */
export interface ImageReference {
  readonly file: string;
  readonly image: string;
}

const digest = /@sha256:[0-9a-f]{64}$/;
/** Docker's value of an unset variable. */
const unset = (value: string): string => value.replace(/\$\{\w+:-([^}]{0,200})\}/g, "$1");
/** Reads an argument, which is checked where it is declared. */
const argument = /^\$/;

/** Images of a Dockerfile: the default of each argument `..._IMAGE`, and of each `FROM`; `scratch` is empty. */
export function ofDockerfile(file: string, text: string): ImageReference[] {
  const stages = new Set([...text.matchAll(/^FROM\s.+\sAS\s+(\S+)/gim)].map(([, name]) => name));
  const found = [...text.matchAll(/^(?:ARG\s+\w*IMAGE=|FROM\s+(?:--\S+\s+)?)(\S+)/gim)].map(([, image = ""]) => image);
  const known = new Set([...stages, "scratch"]);
  return found.filter((image) => !known.has(image) && !argument.test(image)).map((image) => ({ file, image }));
}

/** Images that any YAML file names as `image: <text>`, as compose, manifests and CI do. */
export function ofYaml(file: string, content: unknown): ImageReference[] {
  if (typeof content !== "object" || content === null) return [];
  return Object.entries(content).flatMap(([name, value]: [string, unknown]) =>
    name === "image" && typeof value === "string" ? [{ file, image: unset(value) }] : ofYaml(file, value),
  );
}

/** Images that a chart's template names itself, instead of taking them from the values. */
export function ofTemplate(file: string, text: string): ImageReference[] {
  const named = [...text.matchAll(/^[ \t-]*image:[ \t]*"?([^\s"{]+)/gm)];
  return named.map(([, image = ""]) => ({ file, image }));
}

interface ChartImage {
  readonly repository?: string;
  readonly tag?: string;
  readonly digest?: string;
}

interface EngineChart {
  readonly appVersion?: string;
  readonly annotations?: { readonly imageDigest?: string };
}

/** The values named `image` at any depth. */
function imagesIn(values: unknown): ChartImage[] {
  if (typeof values !== "object" || values === null) return [];
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    name === "image" && typeof value === "object" ? [value as ChartImage] : imagesIn(value),
  );
}

/**
 * The images of third parties that a chart's values name. A value without a tag is the chart's
 * `appVersion` by its digest.
 */
export function ofValues(
  file: string,
  values: unknown,
  { appVersion = "", annotations }: EngineChart,
): ImageReference[] {
  return imagesIn(values).flatMap(({ repository, tag = "", digest = "" }) => {
    if (repository === undefined || repository === "uag") return [];
    const pinned = digest === "" && tag === "" ? annotations?.imageDigest : digest;
    return [{ file, image: `${repository}:${tag === "" ? appVersion : tag}${pinned ? `@${pinned}` : ""}` }];
  });
}

async function ofChart(folder: string): Promise<ImageReference[]> {
  const text = (name: string): Promise<string> => readFile(join(repoRoot, folder, name), "utf8");
  const chart = parse(await text("Chart.yaml")) as EngineChart;
  const found = ofValues(`${folder}/values.yaml`, parse(await text("values.yaml")), chart);
  for await (const name of glob("templates/**/*", { cwd: join(repoRoot, folder) }))
    if (/\.(?:ya?ml|tpl)$/.test(name)) found.push(...ofTemplate(`${folder}/${name}`, await text(name)));
  return found;
}

/** Every image of a third party that the repository names. Our own are `uag/<service>` by release. */
async function references(): Promise<ImageReference[]> {
  const found: ImageReference[] = [];
  const files = ["**/*Dockerfile*", "infra/*.{yaml,yml}", ".{ci,github}/**/*.{yaml,yml}", ".gitlab-ci.yml"];
  const exclude = ["**/node_modules/**", ".data/**"];
  for await (const file of glob(files, { cwd: repoRoot, exclude })) {
    const text = await readFile(join(repoRoot, file), "utf8");
    found.push(...(/\.ya?ml$/.test(file) ? ofYaml(file, parse(text, { merge: true })) : ofDockerfile(file, text)));
  }
  for await (const folder of glob("infra/helm/*/Chart.yaml", { cwd: repoRoot }))
    found.push(...(await ofChart(folder.replace("/Chart.yaml", ""))));
  return found.filter(({ image }) => !image.startsWith("uag/"));
}

const repositoryOf = (image: string): string => image.replace(/[:@].*$/, "");
const digestOf = (image: string): string | undefined => digest.exec(image)?.[0];

/** Images without a digest, and those that two files pin differently. */
export function unpinned(found: readonly ImageReference[]): string[] {
  const bare = found
    .filter(({ image }) => !digest.test(image))
    .map(({ file, image }) => `${file}: ${image} has no digest`);
  const byName = Map.groupBy(found, ({ image }) => repositoryOf(image));
  const different = [...byName].flatMap(([name, all]) =>
    new Set(all.map(({ image }) => digestOf(image))).size > 1
      ? [`${name} has several digests: ${[...new Set(all.map(({ file }) => file))].join(", ")}`]
      : [],
  );
  return [...bare, ...different];
}

/** Checks that every image of a third party is pinned by the same digest everywhere. */
export const images: Check = {
  name: "digests of container images",
  async run() {
    const found = await references();
    return found.length === 0 ? ["no container image was found"] : unpinned(found);
  },
};
