import { Group, Stack, Switch, Text } from "@mantine/core";
import { useHover } from "@mantine/hooks";
import { IconListDetails } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLiveList } from "../../api/live-list.ts";
import type { Account, LedgerEntry } from "../../api/types.ts";
import { exactUsd } from "../../format/money.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PendingButton } from "../../ui/pending-button.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { type LedgerRow, reservedOf, withBalance, withoutBalance } from "./billing.ts";

const rowsAtOnce = 200;
const column = columnsOf<LedgerRow>();
const idOf = ({ id }: LedgerEntry): string => id;
const usdText = (nano: bigint): string => exactUsd(nano).replace(/[$,]/g, "").replace("−", "-");

/** The balance after a row; a dash while it is unknown. */
function Balance({ of: { balance } }: { readonly of: LedgerRow }) {
  return balance === undefined ? "—" : <Money usd={usdText(balance)} isAligned />;
}

/**
 * The amount of a row: what it adds to the balance, or what it reserves or releases of it. On a
 * phone the balance, which has no column there, is below it.
 */
function Amount({ of: row }: { readonly of: LedgerRow }) {
  const { entry, change } = row;
  return (
    <Stack gap={0} align="flex-end">
      {change === 0n ? (
        <Money usd={usdText(reservedOf(entry))} c="dimmed" isAligned />
      ) : (
        <Money usd={usdText(change)} fw={change > 0n ? 600 : 400} isAligned />
      )}
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        <Balance of={row} />
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
        cell: ({ row }) => <Time at={row.original.entry.at} as="second" />,
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
        cell: ({ row: { original } }) => <Amount of={original} />,
        meta: { align: "right" },
      }),
      column.display({
        id: "balance",
        header: t("billing.columns.balance"),
        cell: ({ row }) => <Balance of={row.original} />,
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
  const { hovered, ref } = useHover();
  const navigate = useNavigate();
  const found = useLiveList<LedgerEntry>({
    name: "billing",
    path: `/accounts/${encodeURIComponent(id)}/ledger`,
    query: {},
    limit: rowsAtOnce,
    idOf,
    isHeld: hovered,
  });
  const { data, pending } = found;
  const columns = useColumns();
  const rows = useMemo(() => {
    if (data === undefined || account === undefined) return undefined;
    const listed = pending.hasGap
      ? withoutBalance(data)
      : withBalance([...pending.rows, ...data], account).slice(pending.rows.length);
    return listed.filter(({ change }) => all || change !== 0n);
  }, [data, pending, account, all]);
  const toggle = (
    <Group gap="sm">
      <PendingButton of={pending} onClick={found.showPending} />
      <Switch
        size="xs"
        label={t("billing.movements")}
        checked={all}
        onChange={(event) => setAll(event.currentTarget.checked)}
      />
    </Group>
  );
  return (
    <Panel title={t("billing.ledger")} action={toggle}>
      {found.error !== null ? (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <div ref={ref}>
          <DataTable
            label={t("billing.ledger")}
            columns={columns}
            rows={rows}
            rowId={({ entry }) => entry.id}
            onOpen={({ entry: { request_id: request } }) =>
              request !== null && void navigate({ to: "/usage", search: { account: id, request } })
            }
            canOpen={({ entry }) => entry.request_id !== null}
            empty={<Empty icon={IconListDetails} title={t("billing.empty")} hint={t("billing.emptyHint")} />}
          />
          <ShowMore {...found} />
        </div>
      )}
    </Panel>
  );
}
