import { Group, Text } from "@mantine/core";
import { IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Reconciliation } from "../../api/types.ts";
import { integer, percent } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { billsQuery, type Figure, totalOf } from "./bills.ts";
import { DayDrawer } from "./day-drawer.tsx";
import { State } from "./state.tsx";

const route = getRouteApi("/app/provider-bills");
const column = columnsOf<Reconciliation>();

function Total({ of: day, side }: { readonly of: Reconciliation; readonly side: "ours" | "theirs" | "difference" }) {
  const usd = totalOf(day)?.[side] ?? null;
  if (usd === null) return "—";
  return <Money usd={usd} {...(side === "difference" && day.state === "drifts" && { c: "red" })} />;
}

const coverageText = (total: Figure | undefined): string =>
  typeof total?.coverage_percent === "number" ? percent(total.coverage_percent / 100) : "—";

function useColumns(): Columns<Reconciliation> {
  const { t } = useTranslation();
  return useMemo(() => {
    const money = (side: "ours" | "theirs" | "difference", from?: "sm" | "md") =>
      column.display({
        id: side,
        header: t(`bills.columns.${side}`),
        cell: ({ row: { original } }) => <Total of={original} side={side} />,
        meta: { align: "right", ...(from && { from }) },
      });
    return [
      column.display({
        id: "day",
        header: t("bills.columns.day"),
        cell: ({ row: { original } }) => (
          <Text component="time" inherit style={{ whiteSpace: "nowrap" }}>
            {original.day}
          </Text>
        ),
      }),
      column.accessor("provider", { id: "provider", header: t("bills.columns.provider") }),
      column.display({
        id: "state",
        header: t("bills.columns.state"),
        cell: ({ row: { original } }) => (
          <Group gap="xs">
            <State of={original.state} />
            {!original.settled && (
              <Text size="xs" c="dimmed">
                {t("bills.open")}
              </Text>
            )}
          </Group>
        ),
      }),
      money("ours", "sm"),
      money("theirs", "sm"),
      money("difference"),
      column.accessor((row) => coverageText(totalOf(row)), {
        id: "coverage",
        header: t("bills.columns.coverage"),
        meta: { align: "right", from: "md" },
      }),
      column.accessor(({ requests }) => integer(requests), {
        id: "requests",
        header: t("bills.columns.requests"),
        meta: { align: "right", from: "md" },
      }),
    ];
  }, [t]);
}

/** What we metered beside what providers report of their own, by provider and day. */
export function BillsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(billsQuery);
  const { provider, day } = route.useSearch();
  const navigate = useNavigate();
  const columns = useColumns();
  const show = (of?: Reconciliation): void =>
    void navigate({ to: ".", search: (before) => ({ ...before, provider: of?.provider, day: of?.day }) });
  const shown = data?.data.find((row) => row.provider === provider && row.day === day);
  return (
    <Page title={t("bills.title")} about={t("bills.about")}>
      <Panel title={t("bills.list")}>
        {error !== null ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={t("bills.list")}
            columns={columns}
            rows={data?.data}
            rowId={(row) => `${row.provider} ${row.day}`}
            onOpen={show}
            empty={<Empty icon={IconScale} title={t("bills.none")} hint={t("bills.noneHint")} />}
          />
        )}
      </Panel>
      <DayDrawer of={shown} onClose={() => show()} />
    </Page>
  );
}
