import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Key, KeyUse } from "../../api/types.ts";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { integer } from "../../format/number.ts";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Time } from "../../ui/time.tsx";
import { UseBar } from "../../ui/use-bar.tsx";
import { keyPath } from "./keys.ts";

/** How often the use of a shown key is read, milliseconds. */
const everyMs = 2_000;

const hasLimits = ({ rpm_limit, tpm_limit, max_parallel_requests, max_budget }: Key): boolean =>
  [rpm_limit, tpm_limit, max_parallel_requests, max_budget].some((limit) => limit !== null);

function Limit({ name, of: use }: { readonly name: string; readonly of: KeyUse["parallel_requests"] }) {
  const { t } = useTranslation();
  if (use === null) return null;
  const figures = t("keys.use.used", { used: integer(use.used), limit: integer(use.limit) });
  return <UseBar name={name} figures={figures} percent={(use.used / use.limit) * 100} />;
}

function BudgetHint({ of: budget }: { readonly of: NonNullable<KeyUse["budget"]> }) {
  const { t } = useTranslation();
  const held = nanoUsdOf(budget.held_usd);
  const isSpent = nanoUsdOf(budget.spent_usd) >= nanoUsdOf(budget.limit_usd);
  return (
    <>
      {t("keys.use.resets")} <Time at={budget.resets_at} as="date" />
      {held > 0n && ` · ${t("keys.use.held", { amount: shortUsd(held) })}`}
      <br />
      {budget.runs_out_at === null || isSpent ? (
        <>
          {t("keys.use.expected")} <Money usd={budget.expected_usd} />
        </>
      ) : (
        <>
          {t("keys.use.runsOut")} <Time at={budget.runs_out_at} as="date" />
        </>
      )}
    </>
  );
}

function Bars({ of: use }: { readonly of: KeyUse }) {
  const { t } = useTranslation();
  const { budget } = use;
  return (
    <>
      <Limit name={t("keys.use.requests")} of={use.requests_per_minute} />
      <Limit name={t("keys.use.tokens")} of={use.tokens_per_minute} />
      <Limit name={t("keys.use.concurrency")} of={use.parallel_requests} />
      {budget !== null && (
        <UseBar
          name={t("keys.columns.budget")}
          figures={t("keys.use.used", {
            used: shortUsd(nanoUsdOf(budget.spent_usd)),
            limit: shortUsd(nanoUsdOf(budget.limit_usd)),
          })}
          percent={(Number(budget.spent_nano_usd) / Number(budget.limit_nano_usd)) * 100}
          hint={<BudgetHint of={budget} />}
        />
      )}
    </>
  );
}

/** How much of its limits and its budget a key uses at the moment. */
export function KeyUseBars({ of: key }: { readonly of: Key }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["key-use", key.id, key.version],
    queryFn: ({ signal }) => call<KeyUse>(`${keyPath(key.id)}/use`, { signal }),
    enabled: hasLimits(key),
    refetchInterval: everyMs,
  });
  if (!hasLimits(key)) return null;
  return (
    <Stack gap="sm" component="section" aria-label={t("keys.use.title")}>
      <Title order={3} size="h4">
        {t("keys.use.title")}
      </Title>
      {error !== null && data === undefined ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null && <Skeleton h={120} />}
      {data !== undefined && <Bars of={data} />}
      <Text size="xs" c="dimmed">
        {t("keys.use.live")}
      </Text>
    </Stack>
  );
}
