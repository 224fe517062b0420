import { Badge, Box, Group, Stack, Text } from "@mantine/core";
import { useHover } from "@mantine/hooks";
import { IconListSearch } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useLiveList } from "../../api/live-list.ts";
import type { UsageEvent } from "../../api/types.ts";
import { duration, integer } from "../../format/number.ts";
import { useAccountId } from "../../shell/account.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PendingButton } from "../../ui/pending-button.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { useAllKeys } from "../keys/keys.ts";
import { shortUnitText } from "../models/names.ts";
import { ColumnMenu, type OptionalColumn, useShownColumns } from "./column-menu.tsx";
import { tookMs, useListFilter } from "./usage.ts";

const route = getRouteApi("/app/usage");
const column = columnsOf<UsageEvent>();
const idOf = ({ request_id }: UsageEvent): string => request_id;
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

/** Every column in its order, without those that are hidden. */
function useColumns(shown: readonly OptionalColumn[]): Columns<UsageEvent> {
  const { t } = useTranslation();
  const keyName = useKeyNames();
  return useMemo(() => {
    const title = (name: OptionalColumn) => ({ id: name, header: t(`usage.columns.${name}`) });
    const optional: Record<OptionalColumn, Columns<UsageEvent>[number]> = {
      key: column.accessor(({ key_id }) => keyName(key_id), { ...title("key"), meta: { from: "sm" } }),
      status: column.display({
        ...title("status"),
        cell: ({ row }) => <Status of={row.original} />,
        meta: { from: "sm" },
      }),
      provider: column.accessor(({ upstream }) => upstream || "—", { ...title("provider"), meta: { from: "sm" } }),
      tokens: column.accessor((event) => unitsText(event.units), { ...title("tokens"), meta: { from: "md" } }),
      firstByte: column.accessor(({ first_byte_ms: ms }) => msText(ms), {
        ...title("firstByte"),
        meta: { align: "right", from: "sm" },
      }),
      duration: column.accessor((event) => msText(tookMs(event)), {
        ...title("duration"),
        meta: { align: "right", from: "sm" },
      }),
      attempts: column.accessor(({ attempts }) => integer(attempts), {
        ...title("attempts"),
        meta: { align: "right", from: "sm" },
      }),
    };
    return [
      column.display({
        id: "time",
        header: t("usage.columns.time"),
        cell: ({ row }) => <Time at={row.original.started_at} as="second" />,
      }),
      column.display({
        id: "model",
        header: t("usage.columns.model"),
        cell: ({ row }) => <ModelCell of={row.original} />,
      }),
      ...shown.map((name) => optional[name]),
      column.display({
        id: "cost",
        header: t("usage.columns.cost"),
        cell: ({ row: { original } }) =>
          original.pricing === "unpriced" ? t("usage.pricing.unpriced") : <Money usd={original.cost_usd} isAligned />,
        meta: { align: "right" },
      }),
    ];
  }, [t, keyName, shown]);
}

const msText = (ms: number | null): string => (ms === null ? "—" : duration(ms));

/** Names of keys by their ids. */
function useKeyNames(): (id: string) => string {
  const { t } = useTranslation();
  const { data } = useAllKeys({ account: useAccountId(), withRevoked: true });
  return useMemo(() => {
    const names = new Map(data?.map(({ id, key_alias, hint }) => [id, `${key_alias || t("keys.unnamed")} ${hint}`]));
    return (id) => names.get(id) ?? id;
  }, [data, t]);
}

function ModelCell({ of: event }: { readonly of: UsageEvent }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        {event.model}
      </Text>
      <Text size="xs" c="dimmed">
        {event.operation}
      </Text>
      {event.outcome !== "completed" && (
        <Box hiddenFrom="sm" mt={4}>
          <Outcome of={event} />
        </Box>
      )}
    </Stack>
  );
}

function Status({ of: event }: { readonly of: UsageEvent }) {
  return (
    <Stack gap={2} align="flex-start">
      <Outcome of={event} />
      {event.error_code !== null && (
        <Text size="xs" c="dimmed" ff="monospace">
          {event.error_code}
        </Text>
      )}
    </Stack>
  );
}

/** Single requests, the newest first; each opens its receipt. */
export function UsageRequests() {
  const { t } = useTranslation();
  const { request, id } = route.useSearch();
  const navigate = useNavigate({ from: "/usage" });
  const { hovered, ref } = useHover();
  const found = useLiveList<UsageEvent>({
    name: "usage",
    path: "/usage/events",
    query: useListFilter(),
    idOf,
    isHeld: hovered || request !== undefined,
  });
  const columns = useColumns(useShownColumns());
  return (
    <Panel
      title={t("usage.requests")}
      action={
        <Group gap="sm">
          <PendingButton of={found.pending} onClick={found.showPending} />
          <ColumnMenu />
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
            empty={
              <Empty
                icon={IconListSearch}
                title={t(id === undefined ? "usage.empty" : "usage.noSuchId")}
                hint={t(id === undefined ? "usage.emptyHint" : "usage.noSuchIdHint")}
              />
            }
          />
          <ShowMore {...found} />
        </div>
      )}
    </Panel>
  );
}
