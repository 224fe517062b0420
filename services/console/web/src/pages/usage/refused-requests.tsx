import { Badge, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Refusal, RefusalSeries } from "../../api/types.ts";
import { integer } from "../../format/number.ts";
import { timeText } from "../../format/time.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Failure } from "../../ui/failure.tsx";
import { KeyLink } from "../../ui/names.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { refusalSeriesQuery, refusalsQuery } from "./refusals.ts";
import classes from "./refused-requests.module.css";
import { useFilter, usePeriod } from "./usage.ts";

const route = getRouteApi("/app/usage");
const column = columnsOf<Refusal>();
const rowsAtOnce = 10;
const rowId = ({ request_id, refused_at }: Refusal): string => `${request_id} ${refused_at}`;

/** Why requests were refused, with their number; each selects its reason. */
function Reasons({ of: { groups } }: { readonly of: RefusalSeries }) {
  const { t } = useTranslation();
  const { reason } = route.useSearch();
  const navigate = useNavigate({ from: "/usage" });
  return (
    <Group gap="xs" role="group" aria-label={t("usage.refusals.reasons")}>
      {groups.map(({ name, total }) => {
        const isChosen = name === reason;
        return (
          <UnstyledButton
            key={name}
            aria-pressed={isChosen}
            onClick={() =>
              void navigate({
                search: (before) => ({ ...before, reason: isChosen ? undefined : (name ?? undefined) }),
                replace: true,
              })
            }
          >
            <Badge size="lg" variant={isChosen ? "filled" : "default"} tt="none" fw={500} style={{ cursor: "pointer" }}>
              {t(`usage.refusals.reason.${name as Refusal["reason"]}`)} · {integer(total)}
            </Badge>
          </UnstyledButton>
        );
      })}
    </Group>
  );
}

/** The number of refusals at each step, as bars. */
function Timeline({ of: { groups, bucket } }: { readonly of: RefusalSeries }) {
  const { t } = useTranslation();
  const steps = useMemo(() => {
    const sums = new Map<string, number>();
    for (const { points } of groups)
      for (const { start, refusals } of points) sums.set(start, (sums.get(start) ?? 0) + refusals);
    return [...sums].sort(([a], [b]) => a.localeCompare(b));
  }, [groups]);
  const most = Math.max(...steps.map(([, refusals]) => refusals));
  return (
    <ul className={classes["timeline"]} aria-label={t("usage.refusals.timeline")}>
      {steps.map(([start, refusals]) => (
        <li key={start} className={classes["step"]}>
          <Text size="xs" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
            {timeText(start, bucket)}
          </Text>
          <span className={classes["track"]}>
            <span className={classes["bar"]} style={{ width: `${(refusals / most) * 100}%` }} />
          </span>
          <Text size="xs" className="tabular" ta="right">
            {integer(refusals)}
          </Text>
        </li>
      ))}
    </ul>
  );
}

function useColumns(): Columns<Refusal> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "time",
        header: t("usage.columns.time"),
        cell: ({ row }) => <Time at={row.original.refused_at} as="second" />,
      }),
      column.display({
        id: "reason",
        header: t("usage.columns.status"),
        cell: ({ row: { original } }) => (
          <Stack gap={2} align="flex-start">
            <Badge variant="dot" color="orange" tt="none" fw={500}>
              {t(`usage.refusals.reason.${original.reason}`)} · {original.status}
            </Badge>
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {original.message}
            </Text>
          </Stack>
        ),
      }),
      column.display({
        id: "model",
        header: t("usage.columns.model"),
        cell: ({ row: { original } }) => (
          <Stack gap={0}>
            <Text size="sm">{original.model ?? "—"}</Text>
            <Text size="xs" c="dimmed">
              {original.operation}
            </Text>
          </Stack>
        ),
        meta: { from: "sm" },
      }),
      column.display({
        id: "key",
        header: t("usage.filter.key"),
        cell: ({ row }) => <KeyLink id={row.original.key_id} />,
        meta: { from: "md" },
      }),
      column.accessor("request_id", {
        id: "request",
        header: t("usage.receipt.requestId"),
        cell: ({ row }) => (
          <Text size="xs" ff="monospace" c="dimmed">
            {row.original.request_id}
          </Text>
        ),
        meta: { from: "xl" },
      }),
    ],
    [t],
  );
}

/**
 * Requests that were refused before they were admitted: their number by reason, and the last
 * hundred. Nothing if there were none.
 */
export function RefusedRequests() {
  const { t } = useTranslation();
  const { reason } = route.useSearch();
  const period = usePeriod();
  const { account, key } = useFilter();
  const all = useQuery(refusalSeriesQuery({ account, key }, period));
  const chosen = useQuery({ ...refusalSeriesQuery({ account, key, reason }, period), enabled: reason !== undefined });
  const latest = useQuery(refusalsQuery({ account, key, reason }));
  const columns = useColumns();
  const [page, setPage] = useState(1);
  const error = all.error ?? latest.error;
  const series = reason === undefined ? all.data : chosen.data;
  if (error !== null)
    return (
      <Panel title={t("usage.refusals.title")}>
        <Failure error={error} onRetry={() => void Promise.all([all.refetch(), latest.refetch()])} />
      </Panel>
    );
  if (all.data === undefined || all.data.groups.length === 0) return null;
  return (
    <Panel title={t("usage.refusals.title")}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t("usage.refusals.about")}
        </Text>
        <Reasons of={all.data} />
        {series !== undefined && series.groups.length > 0 && <Timeline of={series} />}
        <DataTable
          label={t("usage.refusals.title")}
          columns={columns}
          rows={latest.data}
          rowId={rowId}
          paging={{ pageSize: rowsAtOnce, page, onPage: setPage }}
          empty={
            <Text size="sm" c="dimmed">
              {t("usage.refusals.noTexts")}
            </Text>
          }
        />
      </Stack>
    </Panel>
  );
}
