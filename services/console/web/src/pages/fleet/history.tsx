import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { UsageSeries } from "../../api/types.ts";
import { integer } from "../../format/number.ts";
import { timeText } from "../../format/time.ts";
import { seriesQuery } from "../usage/usage.ts";
import classes from "./history.module.css";

const hours = 24;
const hourMs = 3_600_000;

interface Hour {
  readonly at: string;
  readonly requests: number;
  readonly failed: number;
}

type Points = UsageSeries["groups"][number]["points"];

/** One hour after the other, those without requests included. */
function hoursOf(points: Points): Hour[] {
  const byStart = new Map<number, Points[number]>(points.map((point) => [Date.parse(point.start), point]));
  const last = Math.floor(Date.now() / hourMs) * hourMs;
  return Array.from({ length: hours }, (_, index) => {
    const at = last - (hours - 1 - index) * hourMs;
    const point = byStart.get(at);
    const failed = Object.values(point?.errors ?? {}).reduce((sum, count) => sum + count, 0);
    return { at: new Date(at).toISOString(), requests: point?.requests ?? 0, failed };
  });
}

/** The requests of the last day by provider, and those that failed there. */
export function useHistories(): ReadonlyMap<string, readonly Hour[]> {
  const { data } = useQuery(seriesQuery({}, "hour24", "provider"));
  return useMemo(() => {
    const groups = data?.groups.filter(({ name, other }) => !other && name !== null) ?? [];
    return new Map(groups.map(({ name, points }) => [name ?? "", hoursOf(points)]));
  }, [data]);
}

/** A bar for each hour of the last day; its red part are the failures. */
export function History({ of: bars }: { readonly of: readonly Hour[] | undefined }) {
  const { t } = useTranslation();
  if (bars === undefined) return "—";
  const most = Math.max(1, ...bars.map(({ requests }) => requests));
  const sum = (count: (hour: Hour) => number): string => integer(bars.reduce((all, hour) => all + count(hour), 0));
  const label = t("fleet.history", { requests: sum((hour) => hour.requests), failed: sum((hour) => hour.failed) });
  return (
    <svg className={classes["bars"]} viewBox={`0 0 ${hours * 4} 24`} role="img" aria-label={label}>
      {bars.map(({ at, requests, failed }, index) => {
        const height = requests === 0 ? 0 : Math.max(2, (requests / most) * 24);
        const red = requests === 0 ? 0 : height * Math.min(1, failed / requests);
        return (
          <g key={at}>
            <title>{`${timeText(at, "hour")}: ${t("fleet.history", { requests: integer(requests), failed: integer(failed) })}`}</title>
            <rect x={index * 4} y={23} width={3} height={1} className={classes["none"]} />
            <rect x={index * 4} y={24 - height} width={3} height={height} className={classes["requests"]} />
            <rect x={index * 4} y={24 - red} width={3} height={red} className={classes["failed"]} />
          </g>
        );
      })}
    </svg>
  );
}
