import { Group, Progress, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { MessageBudget } from "../../api/types.ts";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { messageBudgetsQuery } from "./billing.ts";

/** From this share of a budget on, it is shown as nearly used up. */
const nearlyUsed = 80;

function colorOf(percent: number): string {
  if (percent >= 100) return "red";
  return percent >= nearlyUsed ? "orange" : "teal";
}

function Budget({ of: { kind, per_hour, used, full_at } }: { readonly of: MessageBudget }) {
  const { t } = useTranslation();
  const percent = (used / per_hour) * 100;
  const name = t(`billing.budgets.kinds.${kind}`);
  const figures = t("billing.budgets.used", { used, allowed: per_hour });
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{name}</Text>
        <Text size="sm" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {figures}
        </Text>
      </Group>
      <Progress value={percent} color={colorOf(percent)} aria-label={`${name}: ${figures}`} />
      <Text size="xs" c="dimmed">
        {full_at === null ? (
          t("billing.budgets.unused")
        ) : (
          <>
            {t("billing.budgets.full")} <Time at={full_at} as="relative" />
          </>
        )}
      </Text>
    </Stack>
  );
}

/** How many messages the account may still cause within the hour. */
export function MessageBudgets({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(messageBudgetsQuery(id));
  return (
    <Panel title={t("billing.budgets.title")}>
      <Text size="xs" c="dimmed" mb="sm">
        {t("billing.budgets.about")}
      </Text>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton h={60} />}
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        {data?.data.map((budget) => (
          <Budget key={budget.kind} of={budget} />
        ))}
      </SimpleGrid>
    </Panel>
  );
}
