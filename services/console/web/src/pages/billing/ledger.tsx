import { Stack, Switch, Text } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Account } from "../../api/types.ts";
import { exactUsd } from "../../format/money.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { type LedgerRow, ledgerQuery, withBalance } from "./billing.ts";

const column = columnsOf<LedgerRow>();
const usdText = (nano: bigint): string => exactUsd(nano).replace(/[$,]/g, "").replace("−", "-");

/** What moved; on a phone the balance, which has no column there, stands below it. */
function Change({ of: { change, balance } }: { readonly of: LedgerRow }) {
  return (
    <Stack gap={0} align="flex-end">
      <Money usd={usdText(change)} fw={change > 0n ? 600 : 400} />
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        <Money usd={usdText(balance)} />
      </Text>
    </Stack>
  );
}

function useColumns(): Columns<LedgerRow> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "at",
        header: t("billing.columns.at"),
        cell: ({ row }) => <Time at={row.original.entry.at} />,
      }),
      column.display({
        id: "what",
        header: t("billing.columns.what"),
        cell: ({ row: { original } }) => (
          <Stack gap={0}>
            <Text size="sm">
              {t(`billing.kinds.${original.entry.kind as "settle"}`, { defaultValue: original.entry.kind })}
            </Text>
            <Text size="xs" c="dimmed">
              {original.entry.event?.model ?? original.entry.note}
            </Text>
          </Stack>
        ),
      }),
      column.display({
        id: "amount",
        header: t("billing.columns.amount"),
        cell: ({ row: { original } }) => <Change of={original} />,
        meta: { align: "right" },
      }),
      column.display({
        id: "balance",
        header: t("billing.columns.balance"),
        cell: ({ row }) => <Money usd={usdText(row.original.balance)} />,
        meta: { align: "right", from: "sm" },
      }),
    ],
    [t],
  );
}

/** Every movement of an account's money, the newest first, with the balance after it. */
export function Ledger({ id, account }: { readonly id: string; readonly account: Account | undefined }) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const found = useInfiniteQuery(ledgerQuery(id));
  const columns = useColumns();
  const rows = useMemo(() => {
    if (found.data === undefined || account === undefined) return undefined;
    return withBalance(found.data, account).filter(({ change }) => all || change !== 0n);
  }, [found.data, account, all]);
  const toggle = (
    <Switch
      size="xs"
      label={t("billing.movements")}
      checked={all}
      onChange={(event) => setAll(event.currentTarget.checked)}
    />
  );
  return (
    <Panel title={t("billing.ledger")} action={toggle}>
      {found.error !== null ? (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <>
          <DataTable
            label={t("billing.ledger")}
            columns={columns}
            rows={rows}
            rowId={({ entry }) => entry.id}
            empty={<Empty icon={IconListDetails} title={t("billing.empty")} hint={t("billing.emptyHint")} />}
          />
          <ShowMore {...found} />
        </>
      )}
    </Panel>
  );
}
