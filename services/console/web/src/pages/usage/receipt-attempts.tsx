import { Alert, Badge, Code, Group, Stack, Text, Timeline } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import type { Receipt } from "../../api/types.ts";
import { duration } from "../../format/number.ts";
import type { en } from "../../i18n/en/en.ts";
import { Copy } from "../../ui/copy.tsx";
import { Time } from "../../ui/time.tsx";

type Attempt = Receipt["attempts"][number];
type Reason = keyof (typeof en)["usage"]["reasons"];
type Kind = keyof (typeof en)["usage"]["failures"];

const isFailed = ({ outcome }: Attempt): boolean => outcome !== "answered";

/** What a kind of failure means; the kind itself when a newer gateway names one. */
function meaningOf({ outcome, provider }: Attempt): string {
  return i18next.t(`usage.failures.${outcome as Kind}`, { provider, defaultValue: outcome });
}

/** An id that is copied from here to where it is looked up. */
export function Id({ of: id }: { readonly of: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>
        {id}
      </Text>
      <Copy value={id} />
    </Group>
  );
}

/** A provider's or the gateway's own words about a failure, as they came. */
function Message({ of: { message } }: { readonly of: Attempt }) {
  if (message === null) return null;
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
      {message}
    </Text>
  );
}

/** Why a request failed: what its last provider call came to, and the error that its client received. */
export function WhyFailed({ of: { attempts, event } }: { readonly of: Receipt }) {
  const { t } = useTranslation();
  if (event.error_code === null) return null;
  const last = attempts.findLast(isFailed);
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} title={t("usage.receipt.why")}>
      <Stack gap="xs">
        {last !== undefined && (
          <>
            <Text size="sm">{meaningOf(last)}</Text>
            <Message of={last} />
            {last.mid_stream && <Text size="sm">{t("usage.receipt.midStream")}</Text>}
          </>
        )}
        <Text size="sm">
          {t("usage.receipt.errorCode")} <Code>{event.error_code}</Code>
        </Text>
      </Stack>
    </Alert>
  );
}

/** Why a call was made there and with its credential; nothing where there was no choice. */
function Chosen({ of: attempt }: { readonly of: Attempt }) {
  const { t } = useTranslation();
  const parts = (["provider", "credential"] as const).flatMap((what) => {
    const reason = attempt[`${what}_reason`];
    if (reason === null) return [];
    const text = i18next.t(`usage.reasons.${reason as Reason}`, { defaultValue: reason });
    return [t(`usage.chosen.${what}`, { reason: text })];
  });
  if (parts.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {parts.join(" · ")}
    </Text>
  );
}

function Result({ of: attempt }: { readonly of: Attempt }) {
  const { t } = useTranslation();
  const { code, outcome, status } = attempt;
  const parts = [outcome === "answered" ? t("usage.receipt.answered") : outcome, status, code];
  return (
    <Badge size="xs" variant="dot" color={isFailed(attempt) ? "red" : "teal"} tt="none">
      {parts.filter((part) => part !== null).join(" · ")}
    </Badge>
  );
}

/** The calls to providers in their order; of a failed one, what the provider reported. */
export function Attempts({ of: { attempts } }: { readonly of: Receipt }) {
  const { t } = useTranslation();
  return (
    <Timeline bulletSize={12} lineWidth={1} active={attempts.length}>
      {attempts.map((attempt) => (
        <Timeline.Item
          key={`${attempt.provider}-${attempt.started_at}`}
          color={isFailed(attempt) ? "red" : "teal"}
          title={
            <Text size="sm">
              {[attempt.provider, attempt.model, attempt.credential].filter((part) => part !== null).join(" · ")}
            </Text>
          }
        >
          <Stack gap={4}>
            <Group gap="xs">
              <Text size="xs" c="dimmed">
                <Time at={attempt.started_at} /> · {duration(attempt.duration_ms)}
              </Text>
              <Result of={attempt} />
            </Group>
            <Chosen of={attempt} />
            <Message of={attempt} />
            {attempt.provider_request_id !== null && (
              <Group gap={4}>
                <Text size="xs" c="dimmed">
                  {t("usage.receipt.providerRequestId")}
                </Text>
                <Id of={attempt.provider_request_id} />
              </Group>
            )}
          </Stack>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
