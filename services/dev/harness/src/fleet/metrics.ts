import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { histogramOf } from "@uag/contract/metrics/table";
import type { Fleet } from "@uag/local/service";
import { portName } from "@uag/local/service-processes";

/** A series as a process exposes it. */
export interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The metrics that a process exposes at `/metrics`. */
export interface Exposition {
  readonly process: string;
  readonly text: string;
  /** Types of the metrics by name, including metrics without a series. */
  readonly types: ReadonlyMap<string, string>;
  readonly series: readonly Series[];
}

const adminPort = portName("", "ADMIN_PORT");

/** The metrics port of each process of a fleet. */
export async function metricsPorts({ dataDir }: Pick<Fleet, "dataDir">): Promise<{ process: string; port: number }[]> {
  const ports = JSON.parse(await readFile(join(dataDir, "ports.json"), "utf8")) as Record<string, number>;
  const admin = Object.entries(ports).filter(([name]) => name.endsWith(adminPort));
  return admin.map(([name, port]) => ({ process: name.slice(0, -adminPort.length), port }));
}

/** Reads `/metrics` of every process of a fleet that serves it. */
export async function readMetrics(fleet: Pick<Fleet, "dataDir">): Promise<Exposition[]> {
  return await Promise.all(
    (await metricsPorts(fleet)).map(async ({ process, port }) => {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      return parseExposition(process, await response.text());
    }),
  );
}

/** The sum of a process's counter over its labels; 0 while it is down. */
export async function counterOf(fleet: Pick<Fleet, "dataDir">, process: string, metric: string): Promise<number> {
  const found = (await metricsPorts(fleet)).find((one) => one.process === process);
  const response = await fetch(`http://127.0.0.1:${found?.port}/metrics`).catch(() => undefined);
  if (response === undefined) return 0;
  const lines = (await response.text()).split("\n").filter((line) => new RegExp(`^${metric}[{ ]`).test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

function parseExposition(process: string, text: string): Exposition {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
  const series = [...text.matchAll(/^(?<name>[a-z_]\w*)(?:\{(?<labels>.*)\})? \S+$/gim)].map(({ groups = {} }) => ({
    metric: familyOf(groups["name"] ?? "", types),
    labels: Object.fromEntries(
      [...(groups["labels"] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = "", value = ""]) => [
        label,
        value,
      ]),
    ),
  }));
  return { process, text, types, series };
}

/** A histogram's series are named after it. */
function familyOf(name: string, types: ReadonlyMap<string, string>): string {
  return types.has(name) ? name : histogramOf(name);
}
