import { IconCloud } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { catalogQuery, type ProviderHealth, providersOf } from "../../api/provider-health.ts";
import { duration, integer } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { HealthBadge } from "../../ui/health-badge.tsx";
import { Panel } from "../../ui/panel.tsx";

const column = columnsOf<ProviderHealth>();

function useColumns(): Columns<ProviderHealth> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.accessor("provider", { id: "provider", header: t("fleet.columns.provider") }),
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
      column.accessor(({ failures }) => integer(failures), {
        id: "failures",
        header: t("fleet.columns.failures"),
        meta: { align: "right", from: "sm" },
      }),
      column.accessor(({ slowestMs }) => (slowestMs === null ? "—" : duration(slowestMs)), {
        id: "slowest",
        header: t("fleet.columns.slowest"),
        meta: { align: "right", from: "md" },
      }),
    ],
    [t],
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
        <DataTable
          label={t("fleet.providers")}
          columns={columns}
          rows={rows}
          rowId={({ provider }) => provider}
          empty={<Empty icon={IconCloud} title={t("fleet.noProvider")} hint={t("fleet.noProviderHint")} />}
        />
      )}
    </Panel>
  );
}
