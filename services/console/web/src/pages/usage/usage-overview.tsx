import { Group, SegmentedControl, Select, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { UsageSeries } from "../../api/types.ts";
import { compact, duration, integer, percent } from "../../format/number.ts";
import { Empty } from "../../ui/empty.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { groupings, measures, seriesQuery, useFilter, usePeriod, useView } from "./usage.ts";

// The largest script there is: the page takes input before it has arrived.
const UsageChart = lazy(async () => ({ default: (await import("./usage-chart.tsx")).UsageChart }));

type Total = UsageSeries["groups"][number]["total"];

/** A line may end between two figures, not between a number and its unit. */
const unbroken = (ms: number): string => duration(ms).replaceAll(" ", "\u00a0");

/** A median, with what the slowest see in its hint. */
function Percentiles({ name, of: times }: { readonly name: string; readonly of: Total["latency_ms"] }) {
  const { t } = useTranslation();
  if (times === null) return <Fact name={name}>—</Fact>;
  const hint = t("usage.facts.p95", { p95: unbroken(times.p95), p99: unbroken(times.p99) });
  return (
    <Fact name={name} hint={hint}>
      {duration(times.p50)}
    </Fact>
  );
}

function Totals({ of: total }: { readonly of: Total }) {
  const { t } = useTranslation();
  const failed = Object.values(total.errors).reduce((sum, count) => sum + count, 0);
  const tokens = total.input_tokens + total.output_tokens;
  const tokensHint = t("usage.facts.tokensHint", {
    input: compact(total.input_tokens),
    output: compact(total.output_tokens),
  });
  const share = (part: number, of: number): string => (of === 0 ? "—" : percent(part / of));
  return (
    <SimpleGrid cols={{ base: 2, sm: 4, lg: 7 }} spacing="lg" verticalSpacing="md">
      <Fact name={t("usage.facts.spend")}>
        <Money usd={total.cost_usd} />
      </Fact>
      <Fact name={t("usage.facts.requests")}>{integer(total.requests)}</Fact>
      <Fact name={t("usage.facts.tokens")} hint={tokensHint}>
        {compact(tokens)}
      </Fact>
      <Fact name={t("usage.facts.cached")} hint={t("usage.facts.cachedHint")}>
        {share(total.cached_input_tokens, total.input_tokens)}
      </Fact>
      <Fact name={t("usage.facts.success")} hint={t("usage.facts.failed", { count: failed })}>
        {share(total.requests - failed, total.requests)}
      </Fact>
      <Percentiles name={t("usage.facts.latency")} of={total.latency_ms} />
      <Percentiles name={t("usage.facts.firstByte")} of={total.first_byte_ms} />
    </SimpleGrid>
  );
}

function ChartControls() {
  const { t } = useTranslation();
  const { by, show } = useView();
  const navigate = useNavigate({ from: "/usage" });
  const set = (change: { by?: string; show?: string }): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <Group gap="sm">
      <SegmentedControl
        size="xs"
        aria-label={t("usage.measure.label")}
        value={show}
        onChange={(value) => set({ show: value })}
        data={measures.map((value) => ({ value, label: t(`usage.measure.${value}`) }))}
      />
      <Select
        size="xs"
        w={140}
        aria-label={t("usage.by.label")}
        data={groupings.map((value) => ({ value, label: t(`usage.by.${value}`) }))}
        value={by}
        onChange={(value) => set({ by: value ?? undefined })}
        allowDeselect={false}
      />
    </Group>
  );
}

/** The totals of a time, and how they came about. */
export function UsageOverview() {
  const { t } = useTranslation();
  const { by, show } = useView();
  const period = usePeriod();
  const filter = useFilter();
  const total = useQuery(seriesQuery(filter, period, "none"));
  const series = useQuery(seriesQuery(filter, period, by));
  const error = total.error ?? series.error;
  if (error !== null)
    return <Failure error={error} onRetry={() => void Promise.all([total.refetch(), series.refetch()])} />;
  const sums = total.data?.groups[0]?.total;
  const isEmpty = total.data !== undefined && (sums === undefined || sums.requests === 0);
  if (isEmpty)
    return (
      <Panel>
        <Empty icon={IconChartBar} title={t("usage.empty")} hint={t("usage.emptyHint")} />
      </Panel>
    );
  return (
    <>
      <Panel>{sums === undefined ? <Skeleton h={56} /> : <Totals of={sums} />}</Panel>
      <Panel title={t(`usage.measure.${show}`)} action={<ChartControls />}>
        <Suspense fallback={<Skeleton h={280} />}>
          {series.data === undefined ? <Skeleton h={280} /> : <UsageChart of={series.data} by={by} show={show} />}
        </Suspense>
        {series.data !== undefined && series.data.bucket !== "hour" && (
          <Text size="xs" c="dimmed" mt="xs">
            {t("usage.utc")}
          </Text>
        )}
        {by === "tag" && series.data?.groups.some(({ other }) => other) && (
          <Text size="xs" c="dimmed" mt="xs">
            {t("usage.mostKeys")}
          </Text>
        )}
      </Panel>
    </>
  );
}
