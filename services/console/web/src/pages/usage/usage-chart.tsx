import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { useTranslation } from "react-i18next";
import type { UsageSeries } from "../../api/types.ts";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { compact, integer } from "../../format/number.ts";
import { timeText } from "../../format/time.ts";
import { useAccountId } from "../../shell/account.ts";
import { tagsOf, useAllKeys } from "../keys/keys.ts";
import type { Grouping, Measure } from "./usage.ts";

type Group = UsageSeries["groups"][number];
type Point = Group["points"][number];

/** Distinguishable by colour-blind users, because they also differ in lightness. */
const colors = ["indigo.6", "teal.6", "orange.5", "grape.5", "cyan.5", "lime.6", "pink.5", "gray.5"];

const values: Readonly<Record<Measure, (point: Point) => number>> = {
  cost: ({ cost_usd }) => Number(cost_usd),
  requests: ({ requests }) => requests,
  tokens: (point) => point.input_tokens + point.output_tokens,
};

/** Every step of the time that is shown: one without requests is a gap, not left out. */
function stepsOf({ bucket, from, until }: UsageSeries): string[] {
  const at = new Date(from);
  at.setUTCMinutes(0, 0, 0);
  if (bucket !== "hour") at.setUTCHours(0);
  if (bucket === "month") at.setUTCDate(1);
  const steps: string[] = [];
  while (at.getTime() < Date.parse(until)) {
    steps.push(at.toISOString());
    if (bucket === "hour") at.setUTCHours(at.getUTCHours() + 1);
    else if (bucket === "day") at.setUTCDate(at.getUTCDate() + 1);
    else at.setUTCMonth(at.getUTCMonth() + 1);
  }
  return steps;
}

function useNames(series: UsageSeries, by: Grouping): (group: Group) => string {
  const { t } = useTranslation();
  const keys = useAllKeys({ account: useAccountId(), withRevoked: true });
  return ({ name, other }) => {
    if (other) return t("usage.other");
    if (series.group_by === "none") return t("usage.requests");
    if (series.group_by !== "key") return name || t("usage.nobody");
    const key = keys.data?.find(({ id }) => id === name);
    // A key of several tags is counted once, under all of them.
    if (by === "tag") return (key && tagsOf(key).sort().join(" + ")) || t("usage.untagged");
    return key === undefined ? (name ?? "") : `${key.key_alias || t("keys.unnamed")} ${key.hint}`;
  };
}

/** What the chart draws at one step: a number for each group, by its place. */
interface Row {
  readonly start: string;
  [column: `g${number}`]: number;
}

interface Props {
  readonly of: UsageSeries;
  readonly by: Grouping;
  readonly show: Measure;
}

/** Usage over time, stacked by what it is split by. */
export function UsageChart({ of: series, by, show }: Props) {
  const { t } = useTranslation();
  const other = t("usage.other");
  const nameOf = useNames(series, by);
  const names = [...new Set(series.groups.map(nameOf))];
  const rows = new Map(stepsOf(series).map((start) => [start, { start } as Row]));
  for (const group of series.groups)
    for (const point of group.points) {
      const row = rows.get(new Date(point.start).toISOString());
      const column = `g${names.indexOf(nameOf(group))}` as const;
      if (row !== undefined) row[column] = (row[column] ?? 0) + values[show](point);
    }
  // The tooltip asks for its label also before there is one.
  const timeOf = (start: unknown): string =>
    typeof start === "string" && start !== "" ? timeText(start, series.bucket) : "";
  const format = (value: number): string =>
    show === "cost" ? shortUsd(nanoUsdOf(value.toFixed(9))) : value < 10_000 ? integer(value) : compact(value);
  return (
    <BarChart
      h={280}
      data={[...rows.values()]}
      dataKey="start"
      type="stacked"
      series={names.map((name, index) => ({
        name: `g${index}`,
        label: name,
        color: name === other ? "gray.5" : (colors[index] ?? "gray.5"),
      }))}
      withLegend={names.length > 1}
      legendProps={{ verticalAlign: "bottom" }}
      valueFormatter={format}
      yAxisProps={{ width: "auto" }}
      xAxisProps={{
        tickFormatter: timeOf,
        minTickGap: 40,
      }}
      tooltipProps={{ labelFormatter: timeOf }}
      barProps={{ isAnimationActive: false }}
      maxBarWidth={36}
    />
  );
}
