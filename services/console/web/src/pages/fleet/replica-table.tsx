import { Badge, Stack, Text } from "@mantine/core";
import { IconServer } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Fleet } from "../../api/types.ts";
import { bytes, duration, integer } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Panel } from "../../ui/panel.tsx";

type Replica = Fleet["replicas"][number];
const column = columnsOf<Replica>();

const figure = ({ figures }: Replica, name: string, text: (value: number) => string): string => {
  const value = figures[name];
  return value === undefined ? "—" : text(value);
};

function useColumns(): Columns<Replica> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "service",
        header: t("fleet.columns.service"),
        cell: ({ row: { original } }) => (
          <Stack gap={0}>
            <Text size="sm" fw={500}>
              {original.service}
            </Text>
            <Text size="xs" c="dimmed" ff="monospace" visibleFrom="sm">
              {original.id.slice(original.id.indexOf("_") + 1)}
            </Text>
          </Stack>
        ),
      }),
      column.display({
        id: "state",
        header: t("fleet.columns.state"),
        cell: ({ row: { original } }) => (
          <Badge variant="dot" color={original.state === "up" ? "teal" : "red"} tt="none" fw={500}>
            {t(`fleet.states.${original.state}`)}
          </Badge>
        ),
      }),
      column.accessor("version", { id: "version", header: t("fleet.columns.version"), meta: { from: "md" } }),
      column.display({
        id: "uptime",
        header: t("fleet.columns.uptime"),
        cell: ({ row }) => duration(row.original.uptime_seconds * 1_000),
        meta: { align: "right" },
      }),
      column.display({
        id: "open",
        header: t("fleet.columns.open"),
        cell: ({ row }) => figure(row.original, "uag_open_requests", integer),
        meta: { align: "right", from: "sm" },
      }),
      column.display({
        id: "journal",
        header: t("fleet.columns.journal"),
        cell: ({ row }) => figure(row.original, "uag_journal_bytes", bytes),
        meta: { align: "right", from: "md" },
      }),
      column.display({
        id: "lag",
        header: t("fleet.columns.lag"),
        cell: ({ row: { original } }) => {
          const seconds = original.figures["uag_publish_lag_seconds"];
          return seconds === undefined ? "—" : duration(seconds * 1_000);
        },
        meta: { align: "right", from: "md" },
      }),
    ],
    [t],
  );
}

/** Every process that reported recently. */
export function ReplicaTable({ of: replicas }: { readonly of: readonly Replica[] }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("fleet.replicas")}>
      <DataTable
        label={t("fleet.replicas")}
        columns={useColumns()}
        rows={replicas}
        rowId={({ id }) => id}
        empty={<Empty icon={IconServer} title={t("fleet.none")} hint={t("fleet.noneHint")} />}
      />
      <Text size="xs" c="dimmed" mt="sm">
        {t("fleet.unannounced")}
      </Text>
    </Panel>
  );
}
