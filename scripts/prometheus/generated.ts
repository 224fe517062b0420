import { readFile } from "node:fs/promises";
import { grafanaJson } from "./grafana.ts";
import { readDashboards, rulesFile } from "./sources.ts";

const head = "{{/* infra/prometheus/rules.yaml, written by `npm run check -- --fix`. */}}";

/** Helm's raw strings cannot contain a backtick. */
function rulesTemplate(text: string): string {
  if (text.includes("`")) throw new Error(`${rulesFile} contains a backtick`);
  return `${head}\n{{- define "common.rules" -}}\n{{\`${text}\`}}\n{{- end }}\n`;
}

/** The charts' copies of rules and dashboards: texts by their files in infra/helm. */
export async function monitoringFiles(): Promise<Map<string, string>> {
  const dashboards = await readDashboards();
  return new Map([
    ["common/templates/_rules.tpl", rulesTemplate(await readFile(rulesFile, "utf8"))],
    ...dashboards.map((one): [string, string] => [`fleet/dashboards/${one.name}.json`, grafanaJson(one)]),
  ]);
}
