import { Button, Group, SegmentedControl, Text, TextInput } from "@mantine/core";
import { IconSearch, IconSearchOff } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { modelOperations } from "@uag/contract/routes";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import { rowsAtOnce } from "../../api/paged.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { sortingOf, sortText } from "../../ui/sorting.ts";
import { capabilitiesOf, capabilityOperations, capabilityText } from "./capabilities.ts";
import { CompareModal } from "./compare-modal.tsx";
import { ModelDrawer } from "./model-drawer.tsx";
import { useModelColumns } from "./use-model-columns.tsx";

const route = getRouteApi("/app/models");
const maxCompared = 4;

function useShownModels() {
  const { q = "", does } = route.useSearch();
  const found = useModels();
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/);
    const operation = modelOperations.find((name) => name === does);
    const capability = operation && capabilityText(operation);
    return found.data?.filter((model) => {
      const text = `${model.id} ${model.display_name} ${model.owned_by}`.toLowerCase();
      return (
        words.every((word) => text.includes(word)) &&
        (capability === undefined || capabilitiesOf(model).includes(capability))
      );
    });
  }, [found.data, q, does]);
  return { ...found, rows };
}

function Filters({ count }: { readonly count: number | undefined }) {
  const { t } = useTranslation();
  const { q = "", does = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/models" });
  const set = (change: { q?: string; does?: string }): void =>
    void navigate({ search: (before) => ({ ...before, ...change, page: undefined }), replace: true });
  return (
    <Group gap="sm" mb="sm">
      <TextInput
        aria-label={t("models.search")}
        placeholder={t("models.search")}
        leftSection={<IconSearch size={16} />}
        value={q}
        onChange={(event) => set({ q: event.currentTarget.value || undefined })}
        style={{ flex: "1 1 12rem" }}
        maw={320}
      />
      <SegmentedControl
        aria-label={t("models.capability")}
        value={does}
        onChange={(value) => set({ does: value || undefined })}
        data={[
          { value: "", label: t("common.all") },
          ...capabilityOperations().map((value) => ({ value, label: capabilityText(value) })),
        ]}
        style={{ overflowX: "auto" }}
      />
      {count !== undefined && (
        <Text size="sm" c="dimmed" ml="auto" visibleFrom="md">
          {t("models.shown", { count })}
        </Text>
      )}
    </Group>
  );
}

/** The catalogue: what is served, what it costs, and what a request would cost. */
export function ModelsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/models" });
  const { sort, page = 1, compare = "", model } = route.useSearch();
  const [comparing, setComparing] = useState(false);
  const { rows, data = [], error, refetch } = useShownModels();
  const picked = useMemo(() => compare.split(",").filter((id) => id !== ""), [compare]);
  const pick = useCallback(
    (ids: string[]): void =>
      void navigate({ search: (before) => ({ ...before, compare: ids.join(",") || undefined }), replace: true }),
    [navigate],
  );
  const columns = useModelColumns(picked, maxCompared, pick);
  const action = picked.length > 1 && (
    <Button onClick={() => setComparing(true)}>{t("models.compare", { count: picked.length })}</Button>
  );
  return (
    <Page title={t("models.title")} about={t("models.about")} action={action}>
      <Panel>
        <Filters count={rows?.length} />
        {error !== null ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={t("models.title")}
            columns={columns}
            rows={rows}
            rowId={({ id }) => id}
            isCompact
            onOpen={({ id }) => void navigate({ search: (before) => ({ ...before, model: id }) })}
            empty={<Empty icon={IconSearchOff} title={t("models.noneFound")} hint={t("models.noneFoundHint")} />}
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
        )}
      </Panel>
      <ModelDrawer
        of={data.find(({ id }) => id === model)}
        onClose={() => void navigate({ search: (before) => ({ ...before, model: undefined }) })}
      />
      <CompareModal
        of={data.filter(({ id }) => picked.includes(id))}
        opened={comparing}
        onClose={() => setComparing(false)}
      />
    </Page>
  );
}
