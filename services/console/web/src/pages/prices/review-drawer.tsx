import { Anchor, Drawer, Stack } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Panel } from "../../ui/panel.tsx";
import { AcceptForm } from "./accept-form.tsx";
import { priceText, type Reviewed } from "./prices.ts";

type Difference = Reviewed["differences"][number];
const column = columnsOf<Difference>();

function useColumns(tables: readonly string[]): Columns<Difference> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.accessor("price", { id: "price", header: t("prices.columns.price") }),
      column.accessor(({ ours_usd: ours }) => priceText(ours), {
        id: "ours",
        header: t("prices.columns.ours"),
        meta: { align: "right" },
      }),
      ...tables.map((table) =>
        column.accessor(({ theirs_usd: theirs }) => priceText(theirs[table]), {
          id: table,
          header: table,
          meta: { align: "right" },
        }),
      ),
      column.accessor(({ finding }) => t(`prices.findings.${finding}`), {
        id: "finding",
        header: t("prices.columns.finding"),
        meta: { from: "sm" },
      }),
    ],
    [t, tables],
  );
}

function Review({ of: reviewed, onDone }: { readonly of: Reviewed; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const { differences, link } = reviewed;
  const tables = useMemo(
    () => [...new Set(differences.flatMap(({ theirs_usd: theirs }) => Object.keys(theirs)))].sort(),
    [differences],
  );
  return (
    <Stack gap="lg">
      {link !== null && (
        <Anchor href={link} target="_blank" rel="noreferrer" size="sm">
          {t("prices.vendor")}
        </Anchor>
      )}
      <Panel title={t("prices.differences")}>
        <DataTable
          label={t("prices.differences")}
          columns={useColumns(tables)}
          rows={differences}
          rowId={({ price }) => price}
          empty={<Empty icon={IconTag} title={t("prices.none")} hint={t("prices.noneHint")} />}
        />
      </Panel>
      <AcceptForm of={reviewed} onDone={onDone} />
    </Stack>
  );
}

/** A model's prices beside the tables', and the form that accepts a change. */
export function ReviewDrawer({
  of: reviewed,
  onClose,
}: {
  readonly of: Reviewed | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Drawer opened={reviewed !== undefined} onClose={onClose} position="right" size="xl" title={reviewed?.model}>
      {reviewed !== undefined && <Review key={reviewed.price_version} of={reviewed} onDone={onClose} />}
    </Drawer>
  );
}
