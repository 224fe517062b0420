import { formatNumber } from "../bench/report.ts";
import { copies, type Demand, type Plan } from "./plan.ts";

const units = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** `540 GB`, in powers of 1,000. */
function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${formatNumber(bytes / 1_000 ** power)} ${units[power]}`;
}

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

/** Plans as lines of a Markdown table: a resource, and one cell for each plan. */
export function planRows(plans: readonly { readonly demand: Demand; readonly plan: Plan }[]): string[] {
  const row = (name: string, cell: (one: (typeof plans)[number]) => string): string =>
    `| ${name} | ${plans.map(cell).join(" | ")} |`;
  const serviceRow = (name: string): string =>
    row(name, ({ plan }) => {
      const { cores = 0, pods = 0, mibPerPod = 0 } = plan.services.find((service) => service.name === name) ?? {};
      return `${formatNumber(cores)} cores: ${pods} pods of ${Math.ceil(mibPerPod)} MiB`;
    });
  return [
    row("Requests a day", ({ demand }) => whole(demand.requestsPerDay)),
    `|---|${plans.map(() => "---|").join("")}`,
    row("requests/s at the peak; accounts", ({ plan, demand }) => `${whole(plan.peak)}; ${whole(demand.accounts)}`),
    row("open streams", ({ plan }) => whole(plan.openStreams)),
    ...(plans[0]?.plan.services ?? []).map(({ name }) => serviceRow(name)),
    row("MongoDB primaries", ({ plan }) => `${formatNumber(plan.mongodbCores)} cores`),
    row("MongoDB, each member, a day", ({ plan }) => formatBytes(plan.mongodbBytesPerDay)),
    row(
      "MongoDB, each member",
      ({ plan, demand }) => `${formatBytes(plan.mongodbBytes)} in ${demand.retentionDays} days`,
    ),
    row(
      `MongoDB's disks, ${copies} members`,
      ({ plan, demand }) => `$${whole(plan.mongodbDisksUsd)} a month at $${demand.diskUsd} a GB`,
    ),
    row("NATS servers", ({ plan }) => `${formatNumber(plan.natsCores)} cores`),
    row(
      "JetStream, each server",
      ({ plan, demand }) => `${formatBytes(plan.jetstreamBytes)} in ${demand.outageMinutes} min without metering`,
    ),
  ];
}
