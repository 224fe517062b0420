import { Button, Group, SegmentedControl, Select } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import { useAccountId } from "../../shell/account.ts";
import { useAllKeys } from "../keys/keys.ts";
import { MoreFilters } from "./more-filters.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import { RequestSearch } from "./request-search.tsx";
import { type Range, ranges, usePeriod } from "./usage.ts";

const route = getRouteApi("/app/usage");

/** Filters other than the model, the key and the operation. */
const clearable = ["provider", "outcome", "status", "code", "tag", "cost", "ms", "id"] as const;
const nothing = Object.fromEntries(["model", "key", "operation", ...clearable].map((name) => [name, undefined]));

/** What there is, and what is chosen: a filter is shown also before the models have come. */
const choices = (there: readonly string[], chosen: string | undefined): string[] => [
  ...new Set(chosen === undefined ? there : [...there, chosen]),
];

/** The filters of the shown usage, all of which are in the address. */
export function UsageFilters() {
  const { t } = useTranslation();
  const { model, key, operation, ...others } = route.useSearch();
  const period = usePeriod();
  const navigate = useNavigate({ from: "/usage" });
  const models = useModels();
  const keys = useAllKeys({ account: useAccountId(), withRevoked: true });
  const operations = choices(
    (models.data ?? []).flatMap((one) => one.operations),
    operation,
  ).sort();
  const set = (change: Partial<Record<keyof ReturnType<typeof route.useSearch>, string | undefined>>): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const isFiltered = [model, key, operation, ...clearable.map((name) => others[name])].some((one) => one !== undefined);
  return (
    <Group gap="sm">
      <SegmentedControl
        aria-label={t("usage.range.label")}
        value={typeof period === "string" ? period : ""}
        onChange={(value) => set({ range: value, from: undefined, until: undefined })}
        data={Object.keys(ranges).map((value) => ({ value, label: t(`usage.range.${value as Range}`) }))}
      />
      <PeriodPicker />
      <RequestSearch />
      <Select
        aria-label={t("usage.filter.model")}
        placeholder={t("usage.filter.model")}
        data={choices(
          (models.data ?? []).map(({ id }) => id),
          model,
        )}
        value={model ?? null}
        onChange={(value) => set({ model: value ?? undefined })}
        searchable
        clearable
        limit={100}
        w={{ base: "100%", xs: 200 }}
      />
      <Select
        aria-label={t("usage.filter.key")}
        placeholder={t("usage.filter.key")}
        data={(keys.data ?? []).map(({ id, key_alias, hint }) => ({
          value: id,
          label: `${key_alias || t("keys.unnamed")} ${hint}`,
        }))}
        value={key ?? null}
        onChange={(value) => set({ key: value ?? undefined })}
        searchable
        clearable
        limit={100}
        w={{ base: "100%", xs: 240 }}
      />
      <Select
        aria-label={t("usage.filter.operation")}
        placeholder={t("usage.filter.operation")}
        data={operations}
        value={operation ?? null}
        onChange={(value) => set({ operation: value ?? undefined })}
        searchable
        clearable
        w={{ base: "100%", xs: 200 }}
      />
      <MoreFilters />
      {isFiltered && (
        <Button variant="subtle" leftSection={<IconX size={14} />} onClick={() => set(nothing)}>
          {t("usage.filter.clear")}
        </Button>
      )}
    </Group>
  );
}
