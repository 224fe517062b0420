import { Stack, Text } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { PriceReview } from "../../api/types.ts";
import { integer } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { firstOption, largestChange, lastMonth, percentText, pricesQuery, type Reviewed } from "./prices.ts";
import { ReviewDrawer } from "./review-drawer.tsx";

const route = getRouteApi("/app/prices");
const column = columnsOf<Reviewed>();

function useColumns(): Columns<Reviewed> {
  const { t } = useTranslation();
  return useMemo(() => {
    const cost = (side: "before" | "after", header: string) =>
      column.display({
        id: side,
        header,
        cell: ({ row }) => {
          const month = lastMonth(firstOption(row.original));
          return month === undefined ? "—" : <Money usd={month[side]} />;
        },
        meta: { align: "right", from: "sm" },
      });
    return [
      column.accessor("model", { id: "model", header: t("prices.columns.model") }),
      column.accessor(({ differences }) => integer(differences.length), {
        id: "prices",
        header: t("prices.columns.prices"),
        meta: { align: "right" },
      }),
      column.accessor((row) => percentText(largestChange(firstOption(row))), {
        id: "change",
        header: t("prices.columns.change"),
        meta: { align: "right" },
      }),
      cost("before", t("prices.columns.lastMonth")),
      cost("after", t("prices.columns.after")),
    ];
  }, [t]);
}

function Tables({ of: { tables, total_models: total, covered_models: covered } }: { readonly of: PriceReview }) {
  const { t } = useTranslation();
  if (tables.length === 0) return null;
  const origins = tables.map(({ origin }) => origin).join(t("common.comma"));
  return (
    <Text size="sm" c="dimmed">
      {t("prices.compared", { count: tables.length, origins })}{" "}
      {t("prices.covered", { covered: integer(covered), total: integer(total) })}
    </Text>
  );
}

/** The prices that differ from public tables, for an operator to accept. */
export function PricesPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(pricesQuery);
  const { model } = route.useSearch();
  const navigate = useNavigate();
  const columns = useColumns();
  const show = (of?: Reviewed): void =>
    void navigate({ to: ".", search: (before) => ({ ...before, model: of?.model }) });
  return (
    <Page title={t("prices.title")} about={t("prices.about")}>
      <Panel title={t("prices.list")}>
        {error !== null ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Stack gap="sm">
            {data && <Tables of={data} />}
            <DataTable
              label={t("prices.list")}
              columns={columns}
              rows={data?.models}
              rowId={(row) => row.model}
              onOpen={show}
              empty={<Empty icon={IconTag} title={t("prices.none")} hint={t("prices.noneHint")} />}
            />
          </Stack>
        )}
      </Panel>
      <ReviewDrawer of={data?.models.find((row) => row.model === model)} onClose={() => show()} />
    </Page>
  );
}
