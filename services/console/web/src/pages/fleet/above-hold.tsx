import { Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Fleet } from "../../api/types.ts";
import { compact, integer } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";

type Excess = Fleet["above_hold"][number];
const column = columnsOf<Excess>();

function useColumns(): Columns<Excess> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "model",
        header: t("fleet.aboveHold.model"),
        cell: ({ row }) => (
          <Stack gap={0}>
            <Text size="sm">{row.original.model}</Text>
            <Text size="xs" c="dimmed">
              {row.original.provider}
            </Text>
          </Stack>
        ),
      }),
      column.accessor(({ requests }) => integer(requests), {
        id: "requests",
        header: t("fleet.aboveHold.requests"),
        meta: { align: "right" },
      }),
      column.accessor(({ largest_ratio: ratio }) => `${compact(ratio)}×`, {
        id: "ratio",
        header: t("fleet.aboveHold.ratio"),
        meta: { align: "right" },
      }),
      column.display({
        id: "last",
        header: t("fleet.aboveHold.last"),
        cell: ({ row }) => <Time at={row.original.last_at} as="relative" />,
        meta: { align: "right", from: "sm" },
      }),
    ],
    [t],
  );
}

/** Requests that cost more than their holds, by provider and model; nothing when there were none. */
export function AboveHold({ of: excesses }: { readonly of: readonly Excess[] }) {
  const { t } = useTranslation();
  const columns = useColumns();
  const title = t("fleet.aboveHold.title");
  if (excesses.length === 0) return null;
  return (
    <Panel role="alert" style={{ borderColor: "var(--mantine-color-red-filled)" }} title={title}>
      <Text size="sm">{t("fleet.aboveHold.about")}</Text>
      <DataTable
        label={title}
        columns={columns}
        rows={excesses}
        rowId={({ provider, model }) => `${provider} ${model}`}
        empty={null}
      />
    </Panel>
  );
}
