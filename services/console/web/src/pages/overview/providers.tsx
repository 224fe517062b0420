import { Group, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { catalogQuery, providersOf } from "../../api/provider-health.ts";
import { Failure } from "../../ui/failure.tsx";
import { HealthBadge } from "../../ui/health-badge.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Panel } from "../../ui/panel.tsx";

/** How each provider responded in the last hour. */
export function Providers() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(catalogQuery);
  return (
    <Panel
      title={t("overview.providers")}
      action={
        <TextLink to="/models" size="sm">
          {t("nav.models")}
        </TextLink>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton h={56} />}
      {data !== undefined && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }} spacing="md" verticalSpacing="xs">
          {providersOf(data).map(({ provider, calls, failures, resting, rejection }) => (
            <Group key={provider} justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm">{provider}</Text>
              <HealthBadge calls={calls} failures={failures} resting={resting} rejection={rejection} />
            </Group>
          ))}
        </SimpleGrid>
      )}
    </Panel>
  );
}
