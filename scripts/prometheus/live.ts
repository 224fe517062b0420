import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { metricsPorts } from "@uag/harness/fleet/metrics";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { stringify } from "yaml";
import { type PrometheusServer, startPrometheus } from "./server.ts";
import { readDashboards, readRules, rulesFile } from "./sources.ts";

const loadMs = 40_000;

/** Every kind of request that the dashboards of a healthy fleet show. */
async function sendSome({ client }: TestFleet): Promise<void> {
  const messages = [{ role: "user", content: "How are you?" }];
  const chat = "/v1/chat/completions";
  const video = { model: "grok-imagine-video", prompt: "a boat", duration: 2, resolution: "480p" };
  const responses = await Promise.all([
    client.post(chat, { model: "gpt-4o-mini", messages }),
    client.post(chat, { model: "claude-sonnet-4-6", messages, stream: true }),
    client.post("/v1/embeddings", { model: "text-embedding-3-small", input: "Hello" }),
    client.post("/v1/videos/generations", video),
  ]);
  for (const { status, text } of responses) if (status >= 400) throw new Error(`${status}: ${text}`);
}

/** Prometheus's scrape settings for a fleet, with the labels of the charts' ServiceMonitors. */
async function configOf(fleet: TestFleet): Promise<string> {
  const processes = await metricsPorts(fleet);
  return stringify({
    global: { scrape_interval: "1s", evaluation_interval: "5s" },
    rule_files: [rulesFile],
    scrape_configs: processes.map(({ process, port }) => ({
      job_name: `uag-${process}-admin`,
      honor_labels: true,
      static_configs: [{ targets: [`127.0.0.1:${port}`], labels: { pod: process } }],
    })),
  });
}

type Report = (line: string) => void;

async function judgeDashboards(prometheus: PrometheusServer, report: Report): Promise<boolean> {
  let holds = true;
  for (const { name, panels } of await readDashboards()) {
    for (const { title, queries, empty } of panels) {
      const counts = await Promise.all(Object.values(queries).map((query) => prometheus.query(query)));
      const silent = counts.some((count) => count === 0);
      const summary = silent ? (empty ?? "EMPTY without a documented reason") : `${counts.join(", ")} series`;
      if (silent && empty === undefined) holds = false;
      report(`${name}: ${title}: ${summary}`);
    }
  }
  return holds;
}

async function judgeRules(prometheus: PrometheusServer, report: Report): Promise<boolean> {
  const faults = await prometheus.faultyRules();
  for (const fault of faults) report(`rule: ${fault}`);
  const { groups } = await readRules();
  report(`${groups.flatMap(({ rules }) => rules).length} rules, ${faults.length} could not be evaluated`);
  const firing = await prometheus.firing();
  report(`firing: ${firing.join(", ") || "none"}`);
  return faults.length === 0 && firing.length === 0;
}

/**
 * Starts a fleet and a Prometheus that scrapes it, and runs every query of the dashboards and
 * rules; true if each returns data or has a documented reason for none, and no alert fires.
 */
export async function runAllQueries(report: Report): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), "metrics-"));
  try {
    await using fleet = await startTestFleet({ dataDir: join(dir, "fleet"), env: { AUDIT_FIRST_MS: "5000" } });
    const config = join(dir, "prometheus.yaml");
    await writeFile(config, await configOf(fleet));
    await using prometheus = await startPrometheus({ config, dataDir: join(dir, "prometheus") });
    for (const until = Date.now() + loadMs; Date.now() < until; await sleep(500)) await sendSome(fleet);
    const shown = await judgeDashboards(prometheus, report);
    return (await judgeRules(prometheus, report)) && shown;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
