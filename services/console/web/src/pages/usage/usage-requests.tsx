import { Badge, Group, Select, Stack, Text } from "@mantine/core";
import { useHover } from "@mantine/hooks";
import { IconListSearch } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useLiveList } from "../../api/live-list.ts";
import type { UsageEvent } from "../../api/types.ts";
import { duration } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PendingButton } from "../../ui/pending-button.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { shortUnitText } from "../models/names.ts";
import { listedFrom, tookMs, useFilter, useView } from "./usage.ts";

const route = getRouteApi("/app/usage");
const column = columnsOf<UsageEvent>();
const idOf = ({ request_id }: UsageEvent): string => request_id;
const outcomes = ["completed", "disconnected", "failed", "crashed"] as const;
const outcomeColors = {
  completed: "teal",
  disconnected: "yellow",
  failed: "red",
  crashed: "red",
  unspecified: "gray",
} as const;

export function Outcome({ of: { outcome, status } }: { readonly of: Pick<UsageEvent, "outcome" | "status"> }) {
  const { t } = useTranslation();
  return (
    <Badge variant="dot" color={outcomeColors[outcome]} tt="none" fw={500}>
      {t(`usage.outcomes.${outcome}`)}
      {status !== 200 && status !== 0 && ` · ${status}`}
    </Badge>
  );
}

/** The units that a request used most, in short. */
function unitsText(units: UsageEvent["units"]): string {
  return Object.entries(units)
    .filter(([, count]) => count > 0)
    .slice(0, 3)
    .map(([unit, count]) => shortUnitText(unit, count))
    .join(" · ");
}

function useColumns(): Columns<UsageEvent> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "time",
        header: t("usage.columns.time"),
        cell: ({ row }) => <Time at={row.original.started_at} />,
      }),
      column.display({
        id: "model",
        header: t("usage.columns.model"),
        cell: ({ row: { original } }) => (
          <Stack gap={0}>
            <Text size="sm" fw={500}>
              {original.model}
            </Text>
            <Text size="xs" c="dimmed">
              {original.operation}
            </Text>
          </Stack>
        ),
      }),
      column.display({
        id: "status",
        header: t("usage.columns.status"),
        cell: ({ row: { original } }) => (
          <Stack gap={2} align="flex-start">
            <Outcome of={original} />
            {original.error_code !== null && (
              <Text size="xs" c="dimmed" ff="monospace">
                {original.error_code}
              </Text>
            )}
          </Stack>
        ),
        meta: { from: "sm" },
      }),
      column.accessor((event) => unitsText(event.units), {
        id: "tokens",
        header: t("usage.columns.tokens"),
        meta: { from: "md" },
      }),
      column.display({
        id: "duration",
        header: t("usage.columns.duration"),
        cell: ({ row }) => {
          const ms = tookMs(row.original);
          return ms === null ? "—" : duration(ms);
        },
        meta: { align: "right", from: "sm" },
      }),
      column.display({
        id: "cost",
        header: t("usage.columns.cost"),
        cell: ({ row: { original } }) =>
          original.pricing === "unpriced" ? t("usage.pricing.unpriced") : <Money usd={original.cost_usd} />,
        meta: { align: "right" },
      }),
    ],
    [t],
  );
}

/** Single requests, the newest first; each opens its receipt. */
export function UsageRequests() {
  const { t } = useTranslation();
  const { outcome, request } = route.useSearch();
  const { range } = useView();
  const navigate = useNavigate({ from: "/usage" });
  const { hovered, ref } = useHover();
  const found = useLiveList<UsageEvent>({
    name: "usage",
    path: "/usage/events",
    query: { ...useFilter(), outcome, from: listedFrom(range) },
    idOf,
    isHeld: hovered || request !== undefined,
  });
  const columns = useColumns();
  const filter = (
    <Select
      size="xs"
      w={150}
      aria-label={t("usage.filter.outcome")}
      placeholder={t("usage.filter.outcome")}
      data={outcomes.map((value) => ({ value, label: t(`usage.outcomes.${value}`) }))}
      value={outcome ?? null}
      onChange={(value) =>
        void navigate({ search: (before) => ({ ...before, outcome: value ?? undefined }), replace: true })
      }
      clearable
    />
  );
  return (
    <Panel
      title={t("usage.requests")}
      action={
        <Group gap="sm">
          <PendingButton of={found.pending} onClick={found.showPending} />
          {filter}
        </Group>
      }
    >
      {found.error !== null ? (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <div ref={ref}>
          <DataTable
            label={t("usage.requests")}
            columns={columns}
            rows={found.data}
            rowId={idOf}
            onOpen={({ request_id }) => void navigate({ search: (before) => ({ ...before, request: request_id }) })}
            empty={<Empty icon={IconListSearch} title={t("usage.empty")} hint={t("usage.emptyHint")} />}
          />
          <ShowMore {...found} />
        </div>
      )}
    </Panel>
  );
}
