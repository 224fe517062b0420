import { usageSeriesQuery } from "@uag/contract/requests/admin-usage";
import type { usageSeries } from "@uag/contract/responses/admin-usage";
import type { Shown } from "@uag/contract/responses/shown";
import type { Measures, Percentiles, SeriesGroup } from "@uag/proto/metering/v1/metering.ts";
import { Pace } from "@uag/runtime/pace";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { filterOf } from "./usage.ts";

const timeoutMs = 20_000;
type Series = Shown<typeof usageSeries>;

const isoText = (ms: bigint): string => new Date(Number(ms)).toISOString();

function percentilesOf(times: Percentiles | undefined): Series["groups"][number]["total"]["latency_ms"] {
  return times === undefined ? null : { count: times.count, p50: times.p50Ms, p95: times.p95Ms, p99: times.p99Ms };
}

function showMeasures(measures: Measures | undefined): Series["groups"][number]["total"] {
  if (measures === undefined) throw new Error("metering returned a series without measures");
  const { errors, costNanoUsd, writtenOffNanoUsd } = measures;
  return {
    requests: measures.requests,
    errors: {
      rate_limited: errors?.rateLimited ?? 0n,
      client_error: errors?.clientError ?? 0n,
      upstream_error: errors?.upstreamError ?? 0n,
      client_left: errors?.clientLeft ?? 0n,
      crashed: errors?.crashed ?? 0n,
    },
    cost_usd: usdText(costNanoUsd),
    cost_nano_usd: costNanoUsd,
    written_off_usd: usdText(writtenOffNanoUsd),
    written_off_nano_usd: writtenOffNanoUsd,
    input_tokens: measures.inputTokens,
    cached_input_tokens: measures.cachedInputTokens,
    output_tokens: measures.outputTokens,
    latency_ms: percentilesOf(measures.latency),
    first_byte_ms: percentilesOf(measures.firstByte),
  };
}

const showGroup = ({ name, other, total, points }: SeriesGroup, grouped: boolean): Series["groups"][number] => ({
  name: grouped && !other ? name : null,
  other,
  total: showMeasures(total),
  points: points.map(({ startMs, measures }) => ({ start: isoText(startMs), ...showMeasures(measures) })),
});

/** Usage over time by account, key, model, operation or provider, from the roll-ups. */
export const showSeries: AdminHandler = async ({ clients, url }) => {
  const { bucket, group_by: groupBy, top, ...rest } = checkedQuery(usageSeriesQuery, url);
  const request = { filter: filterOf(rest), bucket, groupBy, top };
  const { groups, fromMs, untilMs } = await clients.metering.querySeries(request, { timeoutMs });
  const pace = new Pace();
  const shown: Series["groups"][number][] = [];
  for (const group of groups) {
    shown.push(showGroup(group, groupBy !== "none"));
    if (pace.isOver) await pace.rest();
  }
  const body: Series = {
    object: "usage_series",
    bucket,
    group_by: groupBy,
    from: isoText(fromMs),
    until: isoText(untilMs),
    groups: shown,
  };
  return { body };
};
