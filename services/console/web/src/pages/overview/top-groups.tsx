import { Group, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAccountId } from "../../shell/account.ts";
import { Failure } from "../../ui/failure.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Money } from "../../ui/money.tsx";
import { KeyLink } from "../../ui/names.tsx";
import { Panel } from "../../ui/panel.tsx";
import { usageQuery } from "./overview.ts";

/** The keys or the models that spent most this month. */
export function TopGroups({ by }: { readonly by: "key" | "model" }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(usageQuery(useAccountId(), "month", by));
  const named = (data?.groups ?? []).filter(({ other, name }) => !other && name !== null && name !== "");
  const most = Math.max(1, ...named.map(({ total }) => total.cost_nano_usd));
  return (
    <Panel title={t(`overview.top.${by}`)} h="100%">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton h={120} />}
      {data !== undefined && named.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("overview.nothing")}
        </Text>
      )}
      <Stack gap="sm">
        {named.map(({ name, total }) => (
          <Stack key={name} gap={4}>
            <Group justify="space-between" gap="sm" wrap="nowrap">
              {by === "key" ? (
                <KeyLink id={name ?? ""} />
              ) : (
                <TextLink to="/usage" search={{ model: name ?? undefined }} size="sm">
                  {name}
                </TextLink>
              )}
              <Text size="sm" component="span">
                <Money usd={total.cost_usd} />
              </Text>
            </Group>
            <Progress size="sm" value={(total.cost_nano_usd / most) * 100} aria-hidden />
          </Stack>
        ))}
      </Stack>
    </Panel>
  );
}
