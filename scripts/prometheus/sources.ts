import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import { parse } from "yaml";
import { z } from "zod";

export const prometheusDir = join(repoRoot, "infra/prometheus");
export const rulesFile = join(prometheusDir, "rules.yaml");

/** The beginning of the runbooks' URLs in the rules, which the charts' value `runbookUrl` replaces. */
export const runbookBase = "https://git.example.com/ai/gateway/blob/main/infra/runbooks";
const dashboardsFile = join(prometheusDir, "dashboards.yaml");
const runbooksDir = join(repoRoot, "infra/runbooks");

const alert = z.strictObject({
  alert: z.string().regex(/^Uag[A-Za-z]+$/),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning"]) }),
  annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
});
const recording = z.strictObject({ record: z.string().regex(/^uag:/), expr: z.string() });
const rules = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(z.union([alert, recording])) })),
});

const panel = z.strictObject({
  title: z.string(),
  unit: z.string(),
  queries: z.record(z.string(), z.string()),
  /** The reason why a healthy system shows no data. */
  empty: z.string().optional(),
});
const dashboards = z.array(
  z.strictObject({ name: z.string().regex(/^[a-z]+$/), question: z.string(), panels: z.array(panel) }),
);

export type Alert = z.infer<typeof alert>;
export type Rules = z.infer<typeof rules>;
export type Dashboard = z.infer<typeof dashboards>[number];

export const readRules = async (): Promise<Rules> => rules.parse(parse(await readFile(rulesFile, "utf8")));

export const readDashboards = async (): Promise<Dashboard[]> =>
  dashboards.parse(parse(await readFile(dashboardsFile, "utf8")));

/** The alerts with a runbook. */
export const runbooks = async (): Promise<string[]> =>
  (await readdir(runbooksDir)).map((file) => basename(file, ".md")).sort();

/** The code spans of an alert's runbook. */
export async function runbookSpans(alert: string): Promise<string[]> {
  const text = await readFile(join(runbooksDir, `${alert}.md`), "utf8");
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span.replaceAll(/\s+/g, " "));
}
