import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { WebhookDelivery } from "../../api/types.ts";

const colors = { pending: "yellow", delivered: "teal", failed: "red", stopped: "gray" } as const;

export function State({ of: state }: { readonly of: WebhookDelivery["state"] }) {
  const { t } = useTranslation();
  return (
    <Badge variant="dot" color={colors[state]} tt="none" fw={500}>
      {t(`webhooks.states.${state}`)}
    </Badge>
  );
}
