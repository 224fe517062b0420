import { Button, Group, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus, IconSearch, IconSearchOff } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { NewKey } from "../../api/types.ts";
import { useMayChange } from "../../session/use-session.ts";
import { useAccountId } from "../../shell/account.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { sortingOf, sortText } from "../../ui/sorting.ts";
import { CreateKeyDrawer } from "./create-key-drawer.tsx";
import { KeyDrawer } from "./key-drawer.tsx";
import { fits, isOfPlayground, statusOf, useAllKeys } from "./keys.ts";
import { NewKeyModal } from "./new-key-modal.tsx";
import { useKeyColumns } from "./use-key-columns.tsx";

const route = getRouteApi("/app/keys");
const statuses = ["active", "ended", "all"] as const;
const rowsAtOnce = 50;

function useShownKeys() {
  const { q = "", status = "active" } = route.useSearch();
  const account = useAccountId();
  const found = useAllKeys({ account, withRevoked: status !== "active" });
  const fitting = useMemo(
    () =>
      found.data?.filter(
        (key) => (status === "all" || (status === "active") === (statusOf(key) === "active")) && fits(key, q),
      ),
    [found.data, q, status],
  );
  const rows = useMemo(
    () => (status === "all" ? fitting : fitting?.filter((key) => !isOfPlayground(key))),
    [fitting, status],
  );
  const hidden = (fitting?.length ?? 0) - (rows?.length ?? 0);
  return { ...found, rows, hidden, isFiltered: q !== "" || status !== "active" };
}

function Filters() {
  const { t } = useTranslation();
  const { q = "", status = "active" } = route.useSearch();
  const navigate = useNavigate({ from: "/keys" });
  const set = (change: { q?: string; status?: string }): void =>
    void navigate({ search: (before) => ({ ...before, ...change, page: undefined }), replace: true });
  return (
    <Group gap="sm" mb="sm">
      <TextInput
        aria-label={t("keys.search")}
        placeholder={t("keys.search")}
        leftSection={<IconSearch size={16} />}
        value={q}
        onChange={(event) => set({ q: event.currentTarget.value || undefined })}
        style={{ flex: "1 1 15rem" }}
        maw={420}
      />
      <SegmentedControl
        aria-label={t("keys.status.label")}
        value={status}
        onChange={(value) => set({ status: value === "active" ? undefined : value })}
        data={statuses.map((value) => ({ value, label: t(`keys.status.${value}`) }))}
      />
    </Group>
  );
}

function NoKeys({
  isFiltered,
  onCreate,
}: {
  readonly isFiltered: boolean;
  readonly onCreate: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/keys" });
  if (isFiltered)
    return (
      <Empty
        icon={IconSearchOff}
        title={t("keys.noneFound")}
        hint={t("keys.noneFoundHint")}
        action={
          <Button variant="default" mt="sm" onClick={() => void navigate({ search: ({ account }) => ({ account }) })}>
            {t("keys.clear")}
          </Button>
        }
      />
    );
  return (
    <Empty
      icon={IconKey}
      title={t("keys.empty")}
      hint={t("keys.emptyHint")}
      action={
        onCreate && (
          <Button mt="sm" leftSection={<IconPlus size={16} />} onClick={onCreate}>
            {t("keys.create")}
          </Button>
        )
      }
    />
  );
}

function KeyTable({ onCreate }: { readonly onCreate: (() => void) | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/keys" });
  const { sort, page = 1 } = route.useSearch();
  const { rows, hidden, error, refetch, isFiltered } = useShownKeys();
  const columns = useKeyColumns();
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <DataTable
        label={t("keys.title")}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ search: (before) => ({ ...before, key: id }) })}
        empty={<NoKeys isFiltered={isFiltered} onCreate={onCreate} />}
        sorting={sortingOf(sort)}
        onSorting={(sorting) =>
          void navigate({
            search: (before) => ({ ...before, sort: sortText(sorting), page: undefined }),
            replace: true,
          })
        }
        paging={{
          pageSize: rowsAtOnce,
          page,
          onPage: (number) =>
            void navigate({ search: (before) => ({ ...before, page: number === 1 ? undefined : number }) }),
        }}
      />
      {hidden > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {t("keys.playground", { count: hidden })}
        </Text>
      )}
    </>
  );
}

export function KeysPage() {
  const { t } = useTranslation();
  const mayChange = useMayChange("keys");
  const [creating, drawer] = useDisclosure(false);
  const [made, setMade] = useState<NewKey>();
  const create = mayChange && (
    <Button leftSection={<IconPlus size={16} />} onClick={drawer.open}>
      {t("keys.create")}
    </Button>
  );
  return (
    <Page title={t("keys.title")} about={t("keys.about")} action={create}>
      <Panel>
        <Filters />
        <KeyTable onCreate={mayChange ? drawer.open : undefined} />
      </Panel>
      <CreateKeyDrawer
        opened={creating}
        onClose={drawer.close}
        onMade={(key) => {
          drawer.close();
          setMade(key);
        }}
      />
      <KeyDrawer onMade={setMade} />
      <NewKeyModal made={made} onClose={() => setMade(undefined)} />
    </Page>
  );
}
