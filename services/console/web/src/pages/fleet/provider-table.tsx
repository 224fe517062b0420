import { Group, Text } from "@mantine/core";
import { IconCloud } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { catalogQuery, type ProviderHealth, providersOf } from "../../api/provider-health.ts";
import { duration, integer, percent } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { HealthBadge, maxFailureRate } from "../../ui/health-badge.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SimulatedBadge, useSimulated } from "../../ui/simulated.tsx";
import { History, useHistories } from "./history.tsx";

const column = columnsOf<ProviderHealth>();

function ProviderName({ of: provider }: { readonly of: string }) {
  const simulated = useSimulated();
  return (
    <Group gap="xs">
      {provider}
      {simulated.has(provider) && <SimulatedBadge variable={simulated.get(provider)} />}
    </Group>
  );
}

/** Failures lead to the requests that ended with one. */
function Failures({ of: { provider, failures } }: { readonly of: ProviderHealth }) {
  if (failures === 0) return integer(0);
  return (
    <TextLink to="/usage" search={{ range: "hour24", provider, outcome: "failed" }} size="sm">
      {integer(failures)}
    </TextLink>
  );
}

function useColumns(): Columns<ProviderHealth> {
  const { t } = useTranslation();
  const histories = useHistories();
  return useMemo(
    () => [
      column.accessor("provider", {
        id: "provider",
        header: t("fleet.columns.provider"),
        cell: ({ getValue }) => <ProviderName of={getValue()} />,
      }),
      column.display({
        id: "health",
        header: t("fleet.columns.state"),
        cell: ({ row }) => <HealthBadge {...row.original} />,
      }),
      column.accessor(({ models }) => integer(models), {
        id: "models",
        header: t("fleet.columns.models"),
        meta: { align: "right", from: "sm" },
      }),
      column.accessor(({ calls }) => integer(calls), {
        id: "calls",
        header: t("fleet.columns.calls"),
        meta: { align: "right" },
      }),
      column.display({
        id: "failures",
        header: t("fleet.columns.failures"),
        cell: ({ row }) => <Failures of={row.original} />,
        meta: { align: "right", from: "sm" },
      }),
      column.accessor(({ slowestMs }) => (slowestMs === null ? "—" : duration(slowestMs)), {
        id: "slowest",
        header: t("fleet.columns.slowest"),
        meta: { align: "right", from: "md" },
      }),
      column.display({
        id: "history",
        header: t("fleet.columns.history"),
        cell: ({ row }) => <History of={histories.get(row.original.provider)} />,
        meta: { from: "md" },
      }),
    ],
    [t, histories],
  );
}

/** The providers of the catalogue, and how they did in the last hour. */
export function ProviderTable() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(catalogQuery);
  const columns = useColumns();
  const rows = useMemo(() => data && providersOf(data), [data]);
  return (
    <Panel title={t("fleet.providers")}>
      {error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Text size="xs" c="dimmed" mb="xs">
            {t("fleet.threshold", { share: percent(maxFailureRate) })}
          </Text>
          <DataTable
            label={t("fleet.providers")}
            columns={columns}
            rows={rows}
            rowId={({ provider }) => provider}
            empty={<Empty icon={IconCloud} title={t("fleet.noProvider")} hint={t("fleet.noProviderHint")} />}
          />
        </>
      )}
    </Panel>
  );
}
