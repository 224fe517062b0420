import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconBuilding, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Account } from "../../api/types.ts";
import { useMayChange } from "../../session/use-session.ts";
import { accountsQuery } from "../../shell/account.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";

const column = columnsOf<Account>();

function useColumns(): Columns<Account> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "name",
        header: t("accounts.columns.name"),
        cell: ({ row: { original } }) => (
          <Stack gap={0}>
            <Text size="sm" fw={500}>
              {original.name || original.id}
            </Text>
            <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {original.id}
            </Text>
          </Stack>
        ),
      }),
      column.display({
        id: "available",
        header: t("accounts.columns.available"),
        cell: ({ row }) => <Money usd={row.original.available_usd} />,
        meta: { align: "right" },
      }),
      column.display({
        id: "held",
        header: t("accounts.columns.held"),
        cell: ({ row }) => <Money usd={row.original.held_usd} />,
        meta: { align: "right", from: "sm" },
      }),
      column.display({
        id: "charged",
        header: t("accounts.columns.charged"),
        cell: ({ row }) => <Money usd={row.original.charged_usd} />,
        meta: { align: "right", from: "sm" },
      }),
      column.display({
        id: "created",
        header: t("accounts.columns.created"),
        cell: ({ row }) => <Time at={row.original.created_at} as="date" />,
        meta: { from: "md" },
      }),
    ],
    [t],
  );
}

function CreateModal({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm({ mode: "uncontrolled", initialValues: { name: "", id: "" } });
  const create = useMutation({
    mutationFn: ({ name, id }: { name: string; id: string }) =>
      call<Account>("/admin/v1/accounts", { method: "POST", body: { name, ...(id !== "" && { id }) } }),
    onSuccess: async () => {
      form.reset();
      onClose();
      await client.invalidateQueries({ queryKey: ["accounts"] });
    },
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("accounts.create")}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
        <Stack>
          <TextInput
            label={t("accounts.form.name")}
            required
            data-autofocus
            maxLength={200}
            key={form.key("name")}
            {...form.getInputProps("name")}
          />
          <TextInput
            label={t("accounts.form.id")}
            description={t("accounts.form.idHint")}
            key={form.key("id")}
            {...form.getInputProps("id")}
          />
          {create.error !== null && <Failure error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t("accounts.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Every account; one that is opened is the one that the other pages show. */
export function AccountsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayCreate = useMayChange("billing");
  const [creating, modal] = useDisclosure(false);
  const { data, error, refetch } = useInfiniteQuery(accountsQuery);
  const columns = useColumns();
  const action = mayCreate && (
    <Button leftSection={<IconPlus size={16} />} onClick={modal.open}>
      {t("accounts.create")}
    </Button>
  );
  return (
    <Page title={t("accounts.title")} about={t("accounts.about")} action={action}>
      <Panel>
        {error !== null ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={t("accounts.title")}
            columns={columns}
            rows={data}
            rowId={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: "/billing", search: { account: id } })}
            empty={<Empty icon={IconBuilding} title={t("accounts.empty")} hint={t("accounts.emptyHint")} />}
          />
        )}
      </Panel>
      <CreateModal opened={creating} onClose={modal.close} />
    </Page>
  );
}
