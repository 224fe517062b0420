import { Badge, Button, Group, Text } from "@mantine/core";
import { IconPlugConnected, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "../../api/types.ts";
import { integer } from "../../format/number.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { AddProviderDrawer } from "./add-provider-drawer.tsx";
import { ProviderDrawer } from "./provider-drawer.tsx";
import { hintOf, inUse, providersQuery } from "./providers.ts";
import { StateBadge } from "./state-badge.tsx";

const route = getRouteApi("/app/providers");
const column = columnsOf<Provider>();

/** The key that new requests use. */
function KeyInUse({ of: provider }: { readonly of: Provider }) {
  const { t } = useTranslation();
  const used = inUse(provider);
  if (used !== undefined)
    return (
      <Text size="sm" ff="monospace">
        {hintOf(used)}
      </Text>
    );
  const hasFileKey = provider.source === "file" && (provider.state === "serving" || provider.state === "disabled");
  return (
    <Text size="sm" c="dimmed">
      {t(hasFileKey ? "providers.fileKey" : "providers.noKey")}
    </Text>
  );
}

function useColumns(): Columns<Provider> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.accessor("id", {
        id: "provider",
        header: t("providers.columns.provider"),
        cell: ({ row: { original } }) => (
          <Group gap="xs">
            {original.id}
            {original.source === "runtime" && (
              <Badge variant="light" tt="none" fw={500}>
                {t("providers.addedHere")}
              </Badge>
            )}
          </Group>
        ),
      }),
      column.display({
        id: "state",
        header: t("providers.columns.state"),
        cell: ({ row }) => <StateBadge of={row.original} />,
      }),
      column.display({
        id: "key",
        header: t("providers.columns.key"),
        cell: ({ row }) => <KeyInUse of={row.original} />,
        meta: { from: "xs" },
      }),
      column.accessor(({ models }) => integer(models.length), {
        id: "models",
        header: t("providers.columns.models"),
        meta: { align: "right", from: "sm" },
      }),
      column.accessor("base_url", { id: "base_url", header: t("providers.columns.baseUrl"), meta: { from: "md" } }),
    ],
    [t],
  );
}

/** The providers, their keys and their states. */
export function ProvidersPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(providersQuery);
  const { provider } = route.useSearch();
  const navigate = useNavigate();
  const columns = useColumns();
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState("");
  const show = (id?: string): void => void navigate({ to: ".", search: (before) => ({ ...before, provider: id }) });
  const action = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t("providers.create")}
    </Button>
  );
  return (
    <Page title={t("providers.title")} about={t("providers.about")} action={action}>
      <Panel>
        {error !== null ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={t("providers.list")}
            columns={columns}
            rows={data?.data}
            rowId={({ id }) => id}
            onOpen={({ id }) => show(id)}
            empty={<Empty icon={IconPlugConnected} title={t("providers.none")} hint={t("providers.noneHint")} />}
          />
        )}
      </Panel>
      <ProviderDrawer
        of={data?.data.find(({ id }) => id === provider)}
        isNew={provider === added}
        onClose={() => {
          setAdded("");
          show();
        }}
      />
      <AddProviderDrawer
        opened={adding}
        onClose={() => setAdding(false)}
        onAdded={(id) => {
          setAdding(false);
          setAdded(id);
          show(id);
        }}
      />
    </Page>
  );
}
