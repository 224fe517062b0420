import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import type { KubeObject } from "./charts.ts";

/** Documents for operators. */
const documents = ["infra/README.md", "infra/runbooks/*.md", "infra/helm/*/README.md"];

/** A command of kubectl in a document, on one line and without its comment. */
export interface KubectlCommand {
  readonly file: string;
  readonly text: string;
}

/** Commands between backticks and in indented lines; `kubectl exec` alone is only a name. */
export function commandsIn(text: string): string[] {
  const joined = text.replaceAll(/\\\n\s*/g, "");
  const spans = [...joined.matchAll(/`(kubectl \S+\s[^`]+)`/g)].map(([, command = ""]) =>
    command.replaceAll(/\s+/g, " "),
  );
  const lines = [...joined.matchAll(/^ {4,}(kubectl .+)$/gm)].map(([, command = ""]) => command);
  return [...spans, ...lines].map((command) => command.replace(/\s+#.*$|\s+&$/, "").trim());
}

export async function documentedCommands(): Promise<KubectlCommand[]> {
  const found: KubectlCommand[] = [];
  for await (const file of glob(documents, { cwd: repoRoot }))
    for (const text of commandsIn(await readFile(join(repoRoot, file), "utf8"))) found.push({ file, text });
  return found;
}

const isPlaceholder = (word: string): boolean => word.includes("<");

/** Kinds by the names that kubectl knows them by, as far as the charts make them. */
const kinds: Readonly<Record<string, string>> = {
  deploy: "Deployment",
  deployment: "Deployment",
  statefulset: "StatefulSet",
  scaledobject: "ScaledObject",
  secret: "Secret",
  service: "Service",
};

/** Objects that a command names, as kind and name: `deploy/a`, or the words after `deployment`. */
function namedObjects(words: readonly string[]): [kind: string, name: string][] {
  const named: [string, string][] = [];
  for (const [index, word] of words.entries()) {
    const [kind = "", name] = word.split("/", 2);
    if (kinds[kind] === undefined) continue;
    const names = name === undefined ? words.slice(index + 1) : [name];
    const end = names.findIndex((one) => one.startsWith("-") || one.includes("="));
    for (const one of end === -1 || name !== undefined ? names : names.slice(0, end)) {
      if (name === undefined && one.includes("/")) break;
      if (!isPlaceholder(one)) named.push([kinds[kind], one]);
    }
  }
  return named;
}

/** The values of the label `app.kubernetes.io/name` in selectors. */
const selectedNames = (text: string): string[] => {
  const single = [...text.matchAll(/app\.kubernetes\.io\/name=([\w-]+)/g)].map(([, name = ""]) => name);
  const listed = [...text.matchAll(/app\.kubernetes\.io\/name in \(([\w,-]+)\)/g)];
  return [...single, ...listed.flatMap(([, names = ""]) => names.split(","))];
};

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
}

/** What a command names that the rendered objects do not have. */
export function problemsOf(text: string, objects: readonly KubeObject[]): string[] {
  const [own = "", inside = ""] = text.split(" -- ");
  const words = own.split(" ");
  const pods = objects.map(({ spec }) => spec?.template as Pod | undefined).filter((pod) => pod?.spec !== undefined);
  const containers = new Set(pods.flatMap((pod) => pod?.spec.containers.map(({ name }) => name)));
  const services = new Set(pods.map((pod) => pod?.metadata.labels["app.kubernetes.io/name"]));
  const claims = new Set(
    objects
      .flatMap(({ spec }) => (spec?.volumeClaimTemplates ?? []) as { readonly metadata: { readonly name: string } }[])
      .map(({ metadata }) => metadata.name),
  );
  const problems: string[] = [];
  for (const [kind, name] of namedObjects(words))
    if (!objects.some((object) => object.kind === kind && object.metadata.name === name))
      problems.push(`no ${kind} ${name}`);
  const container = words[words.indexOf("-c") + 1] ?? "";
  if (words.includes("-c") && !containers.has(container)) problems.push(`no container ${container}`);
  for (const name of selectedNames(own)) if (!services.has(name)) problems.push(`no pod of ${name}`);
  for (const [, claim = ""] of own.matchAll(/\b([a-z]+)-<pod>/g))
    if (!claims.has(claim)) problems.push(`no claim ${claim}`);
  if (words[1] === "exec" && inside === "") problems.push("no command to execute");
  return problems;
}
