import { Badge, Group, Progress, Stack, Text, Tooltip } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Key } from "../../api/types.ts";
import { useAccountId, useAccountName } from "../../shell/account.ts";
import { type Columns, columnsOf } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { Time } from "../../ui/time.tsx";
import { colorOfUse } from "../../ui/use-bar.tsx";
import { statusOf, tagsOf } from "./keys.ts";

const column = columnsOf<Key>();
const last = "\uffff";

function KeyName({ of: key }: { readonly of: Key }) {
  const { t } = useTranslation();
  const status = statusOf(key);
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Text size="sm" fw={500} c={key.key_alias === "" ? "dimmed" : undefined} lineClamp={1}>
          {key.key_alias || t("keys.unnamed")}
        </Text>
        {status !== "active" && (
          <Badge size="sm" variant="light" color="gray">
            {t(`keys.status.${status}`)}
          </Badge>
        )}
        {tagsOf(key).map((tag) => (
          <Badge key={tag} size="sm" variant="default" tt="none" fw={500}>
            {tag}
          </Badge>
        ))}
      </Group>
      <Text size="xs" c="dimmed" ff="monospace">
        {key.hint}
      </Text>
    </Stack>
  );
}

function KeyModels({ of: { models } }: { readonly of: Key }) {
  const { t } = useTranslation();
  if (models.length === 0)
    return (
      <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {t("keys.allModels")}
      </Text>
    );
  if (models.length === 1) return <Text size="sm">{models[0]}</Text>;
  return (
    <Tooltip label={models.join(", ")}>
      <Text size="sm" component="span">
        {t("keys.models", { count: models.length })}
      </Text>
    </Tooltip>
  );
}

export function KeyLimits({ of: key }: { readonly of: Key }) {
  const { t } = useTranslation();
  const parts = [
    key.rpm_limit !== null && t("keys.rpm", { count: key.rpm_limit }),
    key.tpm_limit !== null && t("keys.tpm", { count: key.tpm_limit }),
    key.max_parallel_requests !== null && t("keys.concurrency", { count: key.max_parallel_requests }),
  ].filter((part) => part !== false);
  if (parts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t("common.unlimited")}
      </Text>
    );
  return <Text size="sm">{parts.join(" · ")}</Text>;
}

/** What the key spent this month, against its budget if it has one. */
export function KeySpending({ of: { spent_this_month_usd: spent, max_budget } }: { readonly of: Key }) {
  const { t } = useTranslation();
  if (max_budget === null) return spent === null ? "—" : <Money usd={spent} />;
  const budget = <Money usd={max_budget.toFixed(9)} />;
  if (spent === null) return budget;
  const percent = max_budget === 0 ? 100 : (Number(spent) / max_budget) * 100;
  return (
    <Stack gap={4} maw={180}>
      <Text size="sm" component="span">
        <Money usd={spent} /> {t("keys.ofBudget")} {budget}
      </Text>
      <Progress
        size="sm"
        value={Math.min(100, percent)}
        color={colorOfUse(percent)}
        aria-label={t("keys.budgetUsed", { percent: Math.floor(percent) })}
      />
    </Stack>
  );
}

export function KeyExpiry({ of: { expires } }: { readonly of: Key }) {
  const { t } = useTranslation();
  if (expires === null)
    return (
      <Text size="sm" c="dimmed" component="span">
        {t("keys.never")}
      </Text>
    );
  return <Time at={expires} as="relative" />;
}

export function useKeyColumns(): Columns<Key> {
  const { t } = useTranslation();
  const oneAccount = useAccountId() !== undefined;
  const nameOf = useAccountName();
  return useMemo(
    () => [
      column.accessor((key) => key.key_alias.toLowerCase() || last, {
        id: "name",
        header: t("keys.columns.name"),
        cell: ({ row }) => <KeyName of={row.original} />,
      }),
      ...(oneAccount
        ? []
        : [
            column.accessor(({ account_id }) => nameOf(account_id), {
              id: "account",
              header: t("keys.columns.account"),
              meta: { from: "lg" },
            }),
          ]),
      column.display({
        id: "models",
        header: t("keys.columns.models"),
        cell: ({ row }) => <KeyModels of={row.original} />,
        meta: { from: "md" },
      }),
      column.display({
        id: "limits",
        header: t("keys.columns.limits"),
        cell: ({ row }) => <KeyLimits of={row.original} />,
        meta: { from: "sm" },
      }),
      column.accessor((key) => Number(key.spent_this_month_usd ?? 0), {
        id: "spent",
        header: t("keys.columns.spent"),
        cell: ({ row }) => <KeySpending of={row.original} />,
      }),
      column.accessor((key) => key.expires ?? last, {
        id: "expires",
        header: t("keys.columns.expires"),
        cell: ({ row }) => <KeyExpiry of={row.original} />,
        meta: { from: "md" },
      }),
      column.accessor((key) => key.last_used_at ?? "", {
        id: "used",
        header: t("keys.columns.lastUsed"),
        cell: ({ row }) => <Time at={row.original.last_used_at} as="relative" />,
        meta: { from: "md" },
      }),
      column.accessor((key) => key.created_at ?? "", {
        id: "created",
        header: t("keys.columns.created"),
        cell: ({ row }) => <Time at={row.original.created_at} as="date" />,
        meta: { from: oneAccount ? "lg" : "xl" },
      }),
    ],
    [t, oneAccount, nameOf],
  );
}
