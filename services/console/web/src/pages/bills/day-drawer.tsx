import { Alert, Drawer, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconScale } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Reconciliation } from "../../api/types.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Panel } from "../../ui/panel.tsx";
import { type Figure, searched } from "./bills.ts";
import { Requests } from "./requests.tsx";
import { State } from "./state.tsx";

const column = columnsOf<Figure>();

function useColumns(): Columns<Figure> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.accessor(({ model }) => model ?? t("bills.total"), { id: "model", header: t("bills.columns.model") }),
      column.accessor(({ unit }) => (unit === "usd" ? t("bills.usd") : unit), {
        id: "unit",
        header: t("bills.columns.unit"),
      }),
      column.accessor(({ ours }) => ours ?? t("bills.notCounted"), {
        id: "ours",
        header: t("bills.columns.ours"),
        meta: { align: "right" },
      }),
      column.accessor(({ theirs }) => theirs ?? t("bills.notReported"), {
        id: "theirs",
        header: t("bills.columns.theirs"),
        meta: { align: "right" },
      }),
      column.accessor(({ difference }) => difference ?? "—", {
        id: "difference",
        header: t("bills.columns.difference"),
        meta: { align: "right" },
      }),
      column.display({
        id: "state",
        header: t("bills.columns.state"),
        cell: ({ row: { original } }) => <State of={original.state} />,
      }),
    ],
    [t],
  );
}

function Details({ of: day }: { readonly of: Reconciliation }) {
  const { t } = useTranslation();
  const [model, setModel] = useState<string>();
  const columns = useColumns();
  const notes = [
    day.estimated_requests > 0 && t("bills.estimated", { count: day.estimated_requests }),
    day.revisions > 0 && t("bills.revisions", { count: day.revisions }),
  ].filter((note) => note !== false);
  return (
    <Stack gap="lg">
      {day.unreadable.length > 0 && (
        <Alert color="orange" title={t("bills.states.unreadable")} icon={<IconAlertTriangle size={18} />}>
          <List size="sm">
            {day.unreadable.map((why) => (
              <List.Item key={why}>{why}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
      <Panel title={t("bills.figures")}>
        <DataTable
          label={t("bills.figures")}
          columns={columns}
          rows={day.figures}
          rowId={(figure) => `${figure.model} ${figure.unit}`}
          onOpen={(figure) => setModel(figure.model ?? undefined)}
          empty={<Empty icon={IconScale} title={t("bills.noUsage")} hint={t("bills.noUsageHint")} />}
          minWidth={640}
        />
      </Panel>
      {model !== undefined && (
        <>
          <Requests of={day} model={model} />
          <Text size="xs" c="dimmed">
            {t("bills.newest", { count: searched })}
          </Text>
        </>
      )}
    </Stack>
  );
}

/** A provider's day: every figure, and our requests behind those of a model. */
export function DayDrawer({
  of: day,
  onClose,
}: {
  readonly of: Reconciliation | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Drawer
      opened={day !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={day && `${day.provider} · ${day.day}`}
    >
      {day !== undefined && <Details key={`${day.provider} ${day.day}`} of={day} />}
    </Drawer>
  );
}
