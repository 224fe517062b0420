import { ActionIcon, Badge, Button, Group, Menu, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconPencil, IconPlus, IconSend, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Key, SpendAlert } from "../../api/types.ts";
import { useMayChange } from "../../session/use-session.ts";
import { Failure } from "../../ui/failure.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { isOfPlayground, useAllKeys } from "../keys/keys.ts";
import { AlertModal } from "./alert-modal.tsx";
import { alertPath, alertsQuery, isLow, kindOf, spentPercent } from "./alerts.ts";
import { pathsOf, sharedBudgetsQuery } from "./shared-budgets.ts";

function AlertMenu({ of: alert, title, onEdit }: { of: SpendAlert; title: string; onEdit: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const onError = (error: Error): string => notifications.show({ message: error.message, color: "red" });
  const test = useMutation({
    mutationFn: () => call(`${alertPath(alert.id)}/test`, { method: "POST", body: {} }),
    onSuccess: async () => {
      notifications.show({ message: t("billing.alertTested"), color: "teal" });
      await client.invalidateQueries({ queryKey: ["billing", alert.account_id] });
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: () => call(alertPath(alert.id), { method: "DELETE" }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["billing", alert.account_id, "alerts"] }),
    onError,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t("billing.alertActions", { title })}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconSend size={14} />} onClick={() => test.mutate()}>
          {t("billing.alertTest")}
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={14} />} onClick={onEdit}>
          {t("billing.alertEdit")}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => remove.mutate()}>
          {t("common.delete")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The thresholds, those filled that were reported this month. */
function Thresholds({ of: alert }: { readonly of: SpendAlert }) {
  const { month, monthly_usd: amount, thresholds, notices } = alert;
  const reported = notices.filter((notice) => notice.month === month && notice.monthly_usd === amount);
  return (
    <Group gap={4}>
      {thresholds.map((threshold) => {
        const isReported = reported.some((notice) => notice.threshold === threshold);
        return (
          <Badge key={threshold} size="sm" variant="dot" color={isReported ? "orange" : "gray.5"}>
            {`${threshold}%`}
          </Badge>
        );
      })}
    </Group>
  );
}

/** Those of the addresses that get no mail until they have confirmed that they want it. */
function Unconfirmed({ of: { unconfirmed_emails: addresses } }: { readonly of: SpendAlert }) {
  const { t } = useTranslation();
  if (addresses === null || addresses.length === 0) return null;
  return (
    <Text size="xs" c="var(--mantine-color-yellow-text)" style={{ overflowWrap: "anywhere" }}>
      {t("billing.unconfirmed", { addresses: addresses.join(", ") })}
    </Text>
  );
}

/** How much of it there is, against the threshold. */
function State({ of: alert }: { readonly of: SpendAlert }) {
  const { t } = useTranslation();
  const { kind, balance_usd, below_usd, spent_usd, monthly_usd } = alert;
  return (
    <Text size="sm" c={isLow(alert) ? "var(--mantine-color-error)" : "dimmed"} style={{ whiteSpace: "nowrap" }}>
      {kind === "balance" ? (
        <>
          {t("billing.left")} <Money usd={balance_usd ?? "0"} /> · &lt; <Money usd={below_usd ?? "0"} />
        </>
      ) : (
        <>
          <Money usd={spent_usd} /> / {monthly_usd === null ? t("billing.noBudget") : <Money usd={monthly_usd} />}
        </>
      )}
    </Text>
  );
}

/** Of what is spent: red at the whole amount, orange from the first threshold. */
function colorOf({ thresholds }: SpendAlert, percent: number): string {
  if (percent >= 100) return "red";
  return percent >= Math.min(...thresholds) ? "orange" : "teal";
}

interface RowProps {
  readonly of: SpendAlert;
  /** The name of its key or its shared budget. */
  readonly alias: string | undefined;
  readonly onEdit: (() => void) | undefined;
}

function Row({ of: alert, alias, onEdit }: RowProps) {
  const { t } = useTranslation();
  const whose = alias ?? alert.budget_id ?? alert.key_id ?? t("billing.wholeAccount");
  const about = alert.kind === "spend" ? whose : `${whose} · ${t(`billing.alertForm.kinds.${kindOf(alert)}`)}`;
  const percent = spentPercent(alert);
  const receivers = [...alert.emails, ...(alert.webhook_url === null ? [] : [alert.webhook_url])];
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500} lineClamp={2} style={{ overflowWrap: "anywhere", flex: "1 1 12rem" }}>
          {alert.name === "" ? about : `${alert.name} · ${about}`}
        </Text>
        <Group gap="xs" wrap="nowrap" ml="auto">
          <State of={alert} />
          {onEdit !== undefined && <AlertMenu of={alert} title={alert.name || about} onEdit={onEdit} />}
        </Group>
      </Group>
      {alert.kind !== "balance" && (
        <Progress
          value={Math.min(100, percent)}
          color={colorOf(alert, percent)}
          aria-label={t("billing.alertSpent", { percent })}
        />
      )}
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" lineClamp={1} style={{ overflowWrap: "anywhere", flex: "1 1 12rem" }}>
          {receivers.join(", ")}
        </Text>
        <Thresholds of={alert} />
        <TextLink to="/webhooks" search={{ alert: alert.id }} size="xs">
          {t("billing.alertDeliveries")}
        </TextLink>
      </Group>
      <Unconfirmed of={alert} />
    </Stack>
  );
}

function Rows({ id, keys, onEdit }: { id: string; keys: readonly Key[]; onEdit?: (alert: SpendAlert) => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(alertsQuery(id));
  const { data: budgets = [] } = useQuery(sharedBudgetsQuery(id));
  const names = new Map([...keys.map((key) => [key.id, key.key_alias] as const), ...pathsOf(budgets)]);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={60} />;
  if (data.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t("billing.noAlerts")}
      </Text>
    );
  return (
    <Stack gap="lg">
      {data.data.map((alert) => (
        <Row
          key={alert.id}
          of={alert}
          alias={names.get(alert.budget_id ?? alert.key_id ?? "")}
          onEdit={onEdit && (() => onEdit(alert))}
        />
      ))}
    </Stack>
  );
}

/** Who is notified when a part of what may be spent is, or little is left. */
export function Alerts({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const mayChange = useMayChange("alerts");
  const keys = (useAllKeys({ account: id, withRevoked: false }).data ?? []).filter((key) => !isOfPlayground(key));
  const [edited, edit] = useState<SpendAlert | null>();
  const action = mayChange && (
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={() => edit(null)}>
      {t("billing.newAlert")}
    </Button>
  );
  return (
    <Panel title={t("billing.alerts")} action={action}>
      <Text size="xs" c="dimmed" mb="sm">
        {t("billing.alertsAbout")}
      </Text>
      <Rows id={id} keys={keys} {...(mayChange && { onEdit: edit })} />
      <AlertModal account={id} keys={keys} alert={edited} onClose={() => edit(undefined)} />
    </Panel>
  );
}
