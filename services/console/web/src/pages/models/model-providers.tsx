import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { catalogQuery, type Health } from "../../api/provider-health.ts";
import { duration, integer } from "../../format/number.ts";
import { Failure } from "../../ui/failure.tsx";
import { HealthBadge } from "../../ui/health-badge.tsx";
import { SimulatedBadge, useSimulated } from "../../ui/simulated.tsx";
import { unitText } from "./names.ts";
import { priceText } from "./prices.ts";

function HealthText({ of: hour }: { readonly of: Health }) {
  const { t } = useTranslation();
  const { calls, failures, latency_ms: times, rests_for_ms: restsMs, circuit } = hour;
  const parts = [
    t("models.providers.calls", { count: calls }),
    failures > 0 && t("models.providers.failed", { count: failures }),
    times !== null && t("models.providers.times", { p50: duration(times.p50), p95: duration(times.p95) }),
    restsMs > 0 && t("models.providers.rests", { time: duration(restsMs) }),
    circuit !== "closed" && t(`models.providers.circuits.${circuit}`),
  ];
  return (
    <Text size="xs" c="dimmed" className="tabular">
      {parts.filter((part) => part !== false).join(" · ")}
    </Text>
  );
}

/** What the operator pays a provider, such as "input tokens $2.00, output tokens $8.00". */
const costText = (cost: Readonly<Record<string, unknown>>): string =>
  Object.entries(cost)
    .flatMap(([unit, usd]) => (typeof usd === "number" ? [`${unitText(unit)} ${priceText(usd)}`] : []))
    .join(", ");

/** Who serves a model, in the order in which they are asked, and how they did in the last hour. */
export function ModelProviders({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(catalogQuery);
  const simulated = useSimulated();
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={48} />;
  const providers = data.find((model) => model.id === id)?.providers ?? [];
  return (
    <Stack gap="sm">
      {[...providers]
        .sort((a, b) => a.priority - b.priority)
        .map(({ provider, model, priority, cost, last_hour: hour }) => (
          <Stack key={`${provider} ${model}`} gap={2}>
            <Group justify="space-between">
              <Text size="sm">
                {provider}
                <Text component="span" size="xs" c="dimmed" ml={6}>
                  {model !== id && model}{" "}
                  {providers.length > 1 && t("models.providers.place", { place: integer(priority + 1) })}
                </Text>
              </Text>
              <Group gap={6}>
                {simulated.has(provider) && <SimulatedBadge variable={simulated.get(provider)} />}
                <HealthBadge {...hour} />
              </Group>
            </Group>
            <HealthText of={hour} />
            {cost !== null && (
              <Text size="xs" c="dimmed">
                {t("models.providers.cost", { price: costText(cost) })}
              </Text>
            )}
          </Stack>
        ))}
    </Stack>
  );
}
