import { Button, Drawer, Group, Stack, Text, Timeline } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { WebhookDelivery, WebhookDeliveryWithBody } from "../../api/types.ts";
import { duration } from "../../format/number.ts";
import { useMayChange } from "../../session/use-session.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Time } from "../../ui/time.tsx";
import { State } from "./state.tsx";

const route = getRouteApi("/app/webhooks");
const pathOf = (id: string): string => `/admin/v1/webhooks/deliveries/${encodeURIComponent(id)}`;

function Attempts({ of: { attempts } }: { readonly of: WebhookDelivery }) {
  const { t } = useTranslation();
  return (
    <Timeline bulletSize={12} lineWidth={1} active={attempts.length}>
      {attempts.map(({ at, status, error, duration_ms }) => (
        <Timeline.Item key={at} color={error === null ? "teal" : "red"} title={<Time at={at} />}>
          <Text size="xs" c="dimmed">
            {error === null
              ? t("webhooks.answered", { status: status ?? "", took: duration(duration_ms) })
              : t("webhooks.failed", { error, took: duration(duration_ms) })}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

/** JSON as people read it; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Details({ of: delivery }: { readonly of: WebhookDeliveryWithBody }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const mayReplay = useMayChange("webhooks");
  const replay = useMutation({
    mutationFn: () => call(`${pathOf(delivery.id)}/replay`, { method: "POST", body: {} }),
    onSuccess: async () => {
      notifications.show({ message: t("webhooks.replayed"), color: "teal" });
      await client.invalidateQueries({ queryKey: ["deliveries"] });
    },
  });
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <State of={delivery.state} />
        {mayReplay && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={replay.isPending}
            onClick={() => replay.mutate()}
          >
            {t("webhooks.replay")}
          </Button>
        )}
      </Group>
      {replay.error !== null && <Failure error={replay.error} />}
      <Facts>
        <FactRow name={t("webhooks.columns.url")}>{delivery.url}</FactRow>
        {delivery.task_id !== null && <FactRow name={t("webhooks.task")}>{delivery.task_id}</FactRow>}
        {delivery.alert_id !== null && <FactRow name={t("webhooks.alert")}>{delivery.alert_id}</FactRow>}
        {delivery.next_attempt_at !== null && (
          <FactRow name={t("webhooks.next")}>
            <Time at={delivery.next_attempt_at} as="relative" />
          </FactRow>
        )}
      </Facts>
      <Attempts of={delivery} />
      <CodeBlock text={pretty(delivery.body)} label={t("webhooks.body")} />
    </Stack>
  );
}

/** The delivery that the address names. */
export function DeliveryDrawer() {
  const { t } = useTranslation();
  const { delivery: id } = route.useSearch();
  const navigate = useNavigate({ from: "/webhooks" });
  const query = useQuery({
    queryKey: ["deliveries", "one", id],
    queryFn: () => call<WebhookDeliveryWithBody>(pathOf(id ?? "")),
    enabled: id !== undefined,
  });
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => void navigate({ search: (before) => ({ ...before, delivery: undefined }) })}
      position="right"
      size="lg"
      title={query.data?.type ?? t("webhooks.deliveries")}
    >
      <Loaded query={query} height={240}>
        {(data) => <Details of={data} />}
      </Loaded>
    </Drawer>
  );
}
