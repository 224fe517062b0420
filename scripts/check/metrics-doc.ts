import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LabelBound, labelSets, type MetricRow, questions } from "@uag/contract/metrics/row";
import { exportedMetrics } from "@uag/contract/metrics/table";
import { repoRoot as root } from "@uag/local/paths";
import type { Check } from "./check.ts";

const file = "infra/metrics.md";

const head = `# Metrics

Metrics that each process exports at \`/metrics\`, grouped by subject. Generated from \`services/lib/contract/src/metrics\`
by \`npm run check -- --fix\`. A name ends with its unit; a metric without a unit is a count. Every series also has the
label \`service\`. No label contains text from a client.
`;

const boundText = (bound: LabelBound): string =>
  typeof bound === "string" ? labelSets[bound] : bound.map((value) => `\`${value}\``).join(", ");

function rowText([name, { type, exporter, help, labels }]: [string, MetricRow]): string {
  const bounds = Object.entries(labels).map(([label, bound]) => `\`${label}\`: ${boundText(bound)}`);
  return `| \`${name}\` | ${type} | ${exporter} | ${help} | ${bounds.join("; ")} |`;
}

/** The page of a table of metrics. */
function metricsPage(table: Readonly<Record<string, MetricRow>>): string {
  const sections = Object.entries(questions).map(([question, title]) => {
    const rows = Object.entries(table).filter(([, row]) => row.question === question);
    const lines = [
      "| Metric | Type | Exporter | Description | Labels |",
      "|---|---|---|---|---|",
      ...rows.map(rowText),
    ];
    return `\n## ${title}\n\n${lines.join("\n")}\n`;
  });
  return head + sections.join("");
}

export const metricsDoc: Check = {
  name: "table of metrics",
  async run({ fix }) {
    const page = metricsPage(exportedMetrics);
    if ((await readFile(join(root, file), "utf8").catch(() => "")) === page) return [];
    if (!fix) return [`${file} differs from services/lib/contract/src/metrics; run: npm run check -- --fix`];
    await writeFile(join(root, file), page);
    return [];
  },
};
