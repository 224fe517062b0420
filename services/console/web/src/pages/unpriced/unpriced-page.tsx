import { Button, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconReceipt } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Page as Listing, Repair } from "../../api/types.ts";
import { useAccountName } from "../../shell/account.ts";
import { Actions } from "../../ui/actions.tsx";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";

const column = columnsOf<Repair>();
const repair = (body: object) => call<Listing<Repair>>("/admin/v1/ledger/repair", { method: "POST", body });

const repairOne = async (body: object): Promise<readonly Repair[]> => (await repair(body)).data;

/** Calls for all of them, page by page: a listing has those that were charged earlier as well. */
async function repairAll(body: object): Promise<Repair[]> {
  const found: Repair[] = [];
  for (let after = ""; ; ) {
    const { data, next_cursor } = await repair({ ...body, all: true, after });
    found.push(...data.filter(({ status }) => status !== "repaired_earlier"));
    if (next_cursor === null) return found;
    after = next_cursor;
  }
}

function useColumns(): Columns<Repair> {
  const { t } = useTranslation();
  const nameOf = useAccountName();
  return useMemo(
    () => [
      column.display({
        id: "request",
        header: t("unpriced.columns.request"),
        cell: ({ row }) => (
          <Stack gap={0}>
            <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {row.original.request_id}
            </Text>
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {row.original.model}
            </Text>
          </Stack>
        ),
      }),
      column.accessor(({ account_id }) => nameOf(account_id), {
        id: "account",
        header: t("unpriced.columns.account"),
        meta: { from: "md" },
      }),
      column.accessor("model", { id: "model", header: t("unpriced.columns.model"), meta: { from: "sm" } }),
      column.accessor((row) => t(`unpriced.statuses.${row.status}`), {
        id: "status",
        header: t("unpriced.columns.status"),
      }),
      column.display({
        id: "would",
        header: t("unpriced.columns.would"),
        cell: ({ row: { original } }) =>
          original.status === "would_be_repaired" ? <Money usd={original.charged_usd} /> : "—",
        meta: { align: "right", from: "sm" },
      }),
    ],
    [t, nameOf],
  );
}

function useRepair(charge: (body: object) => Promise<readonly Repair[]>, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: charge,
    onSuccess: async (repairs) => {
      const count = repairs.filter(({ status }) => status === "repaired").length;
      notifications.show({ message: t("unpriced.repaired", { count }), color: "teal" });
      onDone();
      await client.invalidateQueries({ queryKey: ["unpriced"] });
    },
  });
}

/** For what no price can be found for: a person says what it cost. */
function PriceModal({ of: row, onClose }: { readonly of: Repair | undefined; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [cost, setCost] = useState<number | string>("");
  const price = useRepair(repairOne, onClose);
  return (
    <Modal opened={row !== undefined} onClose={onClose} title={t("unpriced.price")}>
      <Stack>
        <Text size="sm" ff="monospace">
          {row?.request_id}
        </Text>
        <NumberInput
          label={t("unpriced.cost")}
          prefix="$"
          min={0}
          decimalScale={9}
          value={cost}
          onChange={setCost}
          data-autofocus
        />
        <Actions
          of={price}
          disabled={cost === ""}
          onClick={() => price.mutate({ request_id: row?.request_id, cost_usd: Number(cost).toFixed(9) })}
        >
          {t("unpriced.submit")}
        </Actions>
      </Stack>
    </Modal>
  );
}

/** Requests that are not charged yet, because their cost is unknown. */
export function UnpricedPage() {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Repair>();
  const { data, error, refetch } = useQuery({
    queryKey: ["unpriced"],
    queryFn: () => repairAll({ dry_run: true }),
  });
  const all = useRepair(repairAll, () => undefined);
  const columns = useColumns();
  const canBe = data?.some(({ status }) => status === "would_be_repaired") ?? false;
  const action = canBe && (
    <Button loading={all.isPending} onClick={() => all.mutate({})}>
      {t("unpriced.repairAll")}
    </Button>
  );
  const failure = error ?? all.error;
  return (
    <Page title={t("unpriced.title")} about={t("unpriced.about")} action={action}>
      <Panel>
        {failure !== null ? (
          <Failure error={failure} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={t("unpriced.title")}
            columns={columns}
            rows={data}
            rowId={({ request_id }) => request_id}
            onOpen={setChosen}
            empty={<Empty icon={IconReceipt} title={t("unpriced.empty")} hint={t("unpriced.emptyHint")} />}
          />
        )}
      </Panel>
      <PriceModal of={chosen} onClose={() => setChosen(undefined)} />
    </Page>
  );
}
