import { Autocomplete, Badge, Button, NumberInput, Popover, Select, SimpleGrid } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { catalogQuery, providersOf } from "../../api/provider-health.ts";
import { useAccountId } from "../../shell/account.ts";
import { tagsOf, useAllKeys } from "../keys/keys.ts";

const route = getRouteApi("/app/usage");
const outcomes = ["completed", "disconnected", "failed", "crashed"] as const;
const statuses = ["200", "400", "402", "404", "429", "499", "500", "502", "503", "504"];
/** Codes that a request with a bill of its own can have. */
const codes = [
  "client_closed_request",
  "invalid_request",
  "internal_error",
  "model_not_found",
  "service_unavailable",
  "upstream_error",
  "upstream_rate_limited",
  "upstream_timeout",
  "upstream_unavailable",
];

type Name = "provider" | "outcome" | "status" | "code" | "tag" | "cost" | "ms";

function useSet(): (change: Partial<Record<Name, string | undefined>>) => void {
  const navigate = useNavigate({ from: "/usage" });
  return (change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
}

interface ChoiceProps {
  readonly name: "provider" | "outcome" | "status" | "tag";
  readonly there: readonly string[];
}

/** One value of several; the chosen one is there even before the others are known. */
function Choice({ name, there }: ChoiceProps) {
  const { t } = useTranslation();
  const { [name]: value } = route.useSearch();
  const set = useSet();
  const labelOf = (one: string): string =>
    name === "outcome" ? t(`usage.outcomes.${one as (typeof outcomes)[number]}`) : one;
  const values = [...new Set(value === undefined ? there : [...there, value])];
  return (
    <Select
      label={t(`usage.filter.${name}`)}
      placeholder={t("usage.filter.any")}
      data={values.map((one) => ({ value: one, label: labelOf(one) }))}
      value={value ?? null}
      onChange={(next) => set({ [name]: next ?? undefined })}
      comboboxProps={{ withinPortal: false }}
      clearable
      // A searchable one opens as soon as it has the focus, which is where the popover puts it.
      searchable={name !== "outcome"}
    />
  );
}

/** The smallest cost in USD, or the shortest duration in milliseconds. */
function Least({ name }: { readonly name: "cost" | "ms" }) {
  const { t } = useTranslation();
  const { [name]: value } = route.useSearch();
  const set = useSet();
  return (
    <NumberInput
      label={t(`usage.filter.${name}`)}
      placeholder={t("usage.filter.any")}
      min={0}
      allowNegative={false}
      decimalScale={name === "cost" ? 9 : 0}
      {...(name === "cost" ? { prefix: "$" } : { suffix: " ms" })}
      value={value === undefined ? "" : Number(value)}
      onChange={(next) => set({ [name]: next === "" ? undefined : String(next) })}
    />
  );
}

function Code() {
  const { t } = useTranslation();
  const { code } = route.useSearch();
  const set = useSet();
  return (
    <Autocomplete
      label={t("usage.filter.code")}
      placeholder={t("usage.filter.any")}
      data={codes}
      value={code ?? ""}
      onChange={(value) => set({ code: value || undefined })}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

/** Filters of single requests that are chosen seldom; all are in the address. */
export function MoreFilters() {
  const { t } = useTranslation();
  const { provider, outcome, status, code, tag, cost, ms } = route.useSearch();
  const catalog = useQuery(catalogQuery);
  const keys = useAllKeys({ account: useAccountId(), withRevoked: true });
  const chosen = [provider, outcome, status, code, tag, cost, ms].filter((value) => value !== undefined).length;
  const providers = providersOf(catalog.data ?? []).map((one) => one.provider);
  const tags = [...new Set((keys.data ?? []).flatMap(tagsOf))];
  return (
    <Popover position="bottom-end" width={340} trapFocus>
      <Popover.Target>
        <Button
          variant={chosen > 0 ? "light" : "default"}
          leftSection={<IconFilter size={16} />}
          rightSection={
            chosen > 0 && (
              <Badge size="sm" circle>
                {chosen}
              </Badge>
            )
          }
        >
          {t("usage.filter.more")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <SimpleGrid cols={2} spacing="sm">
          <Choice name="outcome" there={outcomes} />
          <Choice name="status" there={statuses} />
          <Choice name="provider" there={providers.sort()} />
          <Choice name="tag" there={tags.sort()} />
          <Code />
          <Least name="ms" />
          <Least name="cost" />
        </SimpleGrid>
      </Popover.Dropdown>
    </Popover>
  );
}
