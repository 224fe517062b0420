import { IconReceipt } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Reconciliation, UsageEvent } from "../../api/types.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { requestsQuery } from "./bills.ts";

const column = columnsOf<UsageEvent>();

function useColumns(): Columns<UsageEvent> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "request",
        header: t("bills.columns.request"),
        cell: ({ row: { original } }) => (
          <Link to="/usage" search={{ account: original.account_id, request: original.request_id }}>
            {original.request_id}
          </Link>
        ),
      }),
      column.display({
        id: "day",
        header: t("bills.columns.day"),
        cell: ({ row: { original } }) => <Time at={original.ended_at} />,
        meta: { from: "sm" },
      }),
      column.display({
        id: "cost",
        header: t("bills.columns.cost"),
        cell: ({ row: { original } }) => <Money usd={original.cost_usd} />,
        meta: { align: "right" },
      }),
    ],
    [t],
  );
}

/** Our requests behind the figures of a model: each leads to its receipt. */
export function Requests({ of: day, model }: { readonly of: Reconciliation; readonly model: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(requestsQuery(day, model));
  const columns = useColumns();
  const title = t("bills.requestsOf", { model });
  return (
    <Panel title={title}>
      {error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label={title}
          columns={columns}
          rows={data}
          rowId={({ request_id }) => request_id}
          empty={<Empty icon={IconReceipt} title={t("bills.noRequests")} hint={t("bills.noRequestsHint")} />}
        />
      )}
    </Panel>
  );
}
