import { Drawer, Stack, Table, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { pagedQuery } from "../../api/paged.ts";
import type { AuditRecord } from "../../api/types.ts";
import { useAccountId, useAccountName } from "../../shell/account.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { useAllKeys } from "../keys/keys.ts";
import { AuditFilters, useAuditFilter } from "./filters.tsx";

const actorOf = ({ actor }: AuditRecord): string => actor.name || actor.id;
const column = columnsOf<AuditRecord>();

/** The name of what a record changed: a key's or an account's; of other things, the id. */
function useTargetName(): (record: AuditRecord) => string {
  const account = useAccountId();
  const keys = useAllKeys({ account, withRevoked: true });
  const nameOf = useAccountName();
  const aliases = useMemo(() => new Map(keys.data?.map(({ id, key_alias }) => [id, key_alias])), [keys.data]);
  return useCallback(({ target_id: id }) => aliases.get(id) || nameOf(id), [aliases, nameOf]);
}

function useColumns(): Columns<AuditRecord> {
  const { t } = useTranslation();
  const targetOf = useTargetName();
  return useMemo(
    () => [
      column.display({
        id: "at",
        header: t("audit.columns.at"),
        cell: ({ row }) => <Time at={row.original.at} as="second" />,
      }),
      column.display({
        id: "action",
        header: t("audit.columns.action"),
        cell: ({ row }) => (
          <>
            <Text size="sm" fw={500} ff="monospace">
              {row.original.action}
            </Text>
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {actorOf(row.original)}
            </Text>
          </>
        ),
      }),
      column.accessor(actorOf, {
        id: "who",
        header: t("audit.columns.who"),
        meta: { from: "sm" },
      }),
      column.accessor(targetOf, { id: "target", header: t("audit.columns.target"), meta: { from: "md" } }),
      column.accessor((record) => record.client_address ?? "—", {
        id: "from",
        header: t("audit.columns.from"),
        meta: { from: "lg" },
      }),
    ],
    [t, targetOf],
  );
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return "—";
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** What a change was: the fields that differ, before and after. */
function Difference({ of: { before, after } }: { readonly of: AuditRecord }) {
  const { t } = useTranslation();
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = names.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  if (changed.length === 0) return null;
  return (
    <Table fz="sm" horizontalSpacing={0} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("audit.field")}</Table.Th>
          <Table.Th>{t("audit.before")}</Table.Th>
          <Table.Th>{t("audit.after")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody style={{ overflowWrap: "anywhere" }}>
        {changed.map((name) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td c="dimmed">{shown(was[name])}</Table.Td>
            <Table.Td>{shown(is[name])}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Details({ of: record }: { readonly of: AuditRecord }) {
  const { t } = useTranslation();
  const { target_id: id } = record;
  const name = useTargetName()(record);
  return (
    <Stack gap="lg">
      <Facts>
        <FactRow name={t("audit.columns.at")}>
          <Time at={record.at} />
        </FactRow>
        <FactRow name={t("audit.columns.who")}>
          {record.actor.name} ({record.actor.id})
        </FactRow>
        <FactRow name={t("audit.columns.target")}>{name === id ? id : `${name} (${id})`}</FactRow>
        <FactRow name={t("audit.columns.from")}>{record.client_address ?? "—"}</FactRow>
        <FactRow name={t("audit.request")}>{record.actor.request_id ?? "—"}</FactRow>
        <FactRow name={t("audit.hash")}>
          <Text size="xs" ff="monospace">
            {record.hash ?? "—"}
          </Text>
        </FactRow>
      </Facts>
      <Difference of={record} />
    </Stack>
  );
}

export function AuditPage() {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<AuditRecord>();
  const found = useInfiniteQuery(pagedQuery<AuditRecord>("audit", "/audit-log", useAuditFilter()));
  const columns = useColumns();
  const { action, target } = useAuditFilter();
  const isFiltered = action !== undefined || target !== undefined;
  return (
    <Page title={t("audit.title")} about={t("audit.about")}>
      <Panel>
        <AuditFilters />
        {found.error !== null ? (
          <Failure error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <>
            <DataTable
              label={t("audit.title")}
              columns={columns}
              rows={found.data}
              rowId={({ id }) => id}
              onOpen={setOpened}
              empty={
                <Empty
                  icon={IconHistory}
                  title={t(isFiltered ? "audit.noMatch" : "audit.empty")}
                  hint={t("audit.emptyHint")}
                />
              }
            />
            <ShowMore {...found} />
          </>
        )}
      </Panel>
      <Drawer
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        position="right"
        size="lg"
        title={opened?.action}
      >
        {opened !== undefined && <Details of={opened} />}
      </Drawer>
    </Page>
  );
}
