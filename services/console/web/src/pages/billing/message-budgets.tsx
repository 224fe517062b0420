import { SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Budget } from "../../ui/budget.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { messageBudgetsQuery } from "./billing.ts";

/** How many messages and fetched URLs the account may still cause within the hour. */
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
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="lg">
        {data?.data.map(({ kind, per_hour, used, full_at }) => (
          <Budget
            key={kind}
            name={t(`billing.budgets.kinds.${kind}`)}
            perHour={per_hour}
            used={used}
            fullAt={full_at}
          />
        ))}
      </SimpleGrid>
    </Panel>
  );
}
