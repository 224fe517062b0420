import { ActionIcon, Badge, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconBuilding, IconPencil, IconPlus, IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Account } from "../../api/types.ts";
import { useMayChange } from "../../session/use-session.ts";
import { accountsQuery } from "../../shell/account.ts";
import { Actions } from "../../ui/actions.tsx";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { sortingOf, sortText } from "../../ui/sorting.ts";
import { Time } from "../../ui/time.tsx";
import { EditAccountModal } from "./edit-account-modal.tsx";

const route = getRouteApi("/app/accounts");
const column = columnsOf<Account>();

/** @param onEdit undefined for those who may not edit accounts */
function useColumns(onEdit: ((account: Account) => void) | undefined): Columns<Account> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.accessor(({ name, id }) => (name || id).toLowerCase(), {
        id: "name",
        header: t("accounts.columns.name"),
        cell: ({ row: { original } }) => (
          <Stack gap={0}>
            <Group gap="xs">
              <Text size="sm" fw={500}>
                {original.name || original.id}
              </Text>
              {original.disabled && (
                <Badge size="sm" variant="light" color="red">
                  {t("accounts.disabled")}
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {original.id}
            </Text>
          </Stack>
        ),
      }),
      column.accessor((account) => Number(account.available_usd), {
        id: "available",
        header: t("accounts.columns.available"),
        cell: ({ row }) => <Money usd={row.original.available_usd} isAligned />,
        meta: { align: "right" },
      }),
      column.accessor((account) => Number(account.held_usd), {
        id: "held",
        header: t("accounts.columns.held"),
        cell: ({ row }) => <Money usd={row.original.held_usd} isAligned />,
        meta: { align: "right", from: "sm" },
      }),
      column.accessor((account) => Number(account.charged_usd), {
        id: "charged",
        header: t("accounts.columns.charged"),
        cell: ({ row }) => <Money usd={row.original.charged_usd} isAligned />,
        meta: { align: "right", from: "sm" },
      }),
      column.accessor((account) => account.created_at ?? "", {
        id: "created",
        header: t("accounts.columns.created"),
        cell: ({ row }) => <Time at={row.original.created_at} as="date" />,
        meta: { from: "md" },
      }),
      ...(onEdit === undefined
        ? []
        : [
            column.display({
              id: "edit",
              cell: ({ row }) => <EditButton of={row.original} onEdit={onEdit} />,
              meta: { align: "right" },
            }),
          ]),
    ],
    [t, onEdit],
  );
}

interface EditButtonProps {
  readonly of: Account;
  readonly onEdit: (account: Account) => void;
}

function EditButton({ of: account, onEdit }: EditButtonProps) {
  const { t } = useTranslation();
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`${t("accounts.edit")}: ${account.name || account.id}`}
      onClick={(event) => {
        event.stopPropagation();
        onEdit(account);
      }}
    >
      <IconPencil size={16} />
    </ActionIcon>
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
    <Modal opened={opened} onClose={onClose} title={t("accounts.create")}>
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
          <Actions of={create} onCancel={onClose}>
            {t("accounts.create")}
          </Actions>
        </Stack>
      </form>
    </Modal>
  );
}

const pageSize = 50;

/** True where all words of the search are in the account's name or id. */
function isMatch({ id, name }: Account, search: string): boolean {
  const text = `${name} ${id}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Every account; one that is opened is the one that the other pages show. */
export function AccountsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayChange = useMayChange("billing");
  const [edited, setEdited] = useState<Account>();
  const [creating, modal] = useDisclosure(false);
  const { data, error, refetch } = useInfiniteQuery(accountsQuery);
  const columns = useColumns(mayChange ? setEdited : undefined);
  const { q = "", sort, page = 1 } = route.useSearch();
  const set = (change: { q?: string | undefined; sort?: string | undefined; page?: number | undefined }): void =>
    void navigate({ to: "/accounts", search: (before) => ({ ...before, ...change }), replace: true });
  const rows = useMemo(() => data?.filter((account) => isMatch(account, q)), [data, q]);
  const action = mayChange && (
    <Button leftSection={<IconPlus size={16} />} onClick={modal.open}>
      {t("accounts.create")}
    </Button>
  );
  return (
    <Page title={t("accounts.title")} about={t("accounts.about")} action={action}>
      <Panel>
        <TextInput
          aria-label={t("accounts.search")}
          placeholder={t("accounts.search")}
          leftSection={<IconSearch size={16} />}
          value={q}
          onChange={(event) => set({ q: event.currentTarget.value || undefined, page: undefined })}
          maw={320}
          mb="sm"
        />
        {error !== null ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={t("accounts.title")}
            columns={columns}
            rows={rows}
            sorting={sortingOf(sort)}
            onSorting={(sorting) => set({ sort: sortText(sorting), page: undefined })}
            paging={{ pageSize, page, onPage: (next) => set({ page: next === 1 ? undefined : next }) }}
            rowId={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: "/billing", search: { account: id } })}
            empty={<Empty icon={IconBuilding} title={t("accounts.empty")} hint={t("accounts.emptyHint")} />}
          />
        )}
      </Panel>
      <CreateModal opened={creating} onClose={modal.close} />
      {edited !== undefined && <EditAccountModal of={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}
