import { Alert, Badge, Code, Group, Stack, Text, Timeline } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import i18next from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Receipt } from "../../api/types.ts";
import { duration } from "../../format/number.ts";
import type { en } from "../../i18n/en/en.ts";
import { Copy } from "../../ui/copy.tsx";
import { Time } from "../../ui/time.tsx";

type Attempt = Receipt["attempts"][number];
type Texts = (typeof en)["usage"];
type Reason = keyof Texts["reasons"];
type Kind = keyof Texts["failures"];
type ShortKind = keyof Texts["failed"];

const isFailed = ({ outcome }: Attempt): boolean => outcome !== "answered";

/** A kind of failure in few words; the kind itself when a newer gateway names one. */
export const failedText = (kind: string): string =>
  i18next.t(`usage.failed.${kind as ShortKind}`, { defaultValue: kind });

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

/** A value under its name, in the flow of the text. */
function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Text size="sm" component="div" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
      <Text span inherit fw={500} me={6}>
        {name}
      </Text>
      {children}
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
            {last.message !== null && <Line name={t("usage.receipt.message")}>{last.message}</Line>}
            {last.mid_stream && <Text size="sm">{t("usage.receipt.midStream")}</Text>}
          </>
        )}
        <Line name={t("usage.receipt.errorCode")}>
          <Code>{event.error_code}</Code>
        </Line>
      </Stack>
    </Alert>
  );
}

/** Why a call was made there and with its credential; nothing where there was no choice. */
function Chosen({ of: attempt }: { readonly of: Attempt }) {
  const { t } = useTranslation();
  return (["provider", "credential"] as const).map((what) => {
    const reason = attempt[`${what}_reason`];
    if (reason === null) return null;
    return (
      <Line key={what} name={t(`usage.chosen.${what}`)}>
        {i18next.t(`usage.reasons.${reason as Reason}`, { defaultValue: reason })}
      </Line>
    );
  });
}

/** What a provider reported about a call that failed, in its own words. */
function Reported({ of: { message, code, provider_request_id: id } }: { readonly of: Attempt }) {
  const { t } = useTranslation();
  return (
    <>
      {message !== null && <Line name={t("usage.receipt.message")}>{message}</Line>}
      {code !== null && <Line name={t("usage.receipt.code")}>{code}</Line>}
      {id !== null && (
        <Group gap={6}>
          <Text size="sm" fw={500}>
            {t("usage.receipt.providerRequestId")}
          </Text>
          <Id of={id} />
        </Group>
      )}
    </>
  );
}

function Result({ of: attempt }: { readonly of: Attempt }) {
  const { t } = useTranslation();
  const text = isFailed(attempt) ? failedText(attempt.outcome) : t("usage.receipt.answered");
  return (
    <Badge variant="dot" color={isFailed(attempt) ? "red" : "teal"} tt="none" fw={500}>
      {attempt.status === null ? text : `${text} · ${attempt.status}`}
    </Badge>
  );
}

/** A credential's name, or its last characters; nothing of one that is too short to show any. */
function credentialText({ credential }: Attempt): string | undefined {
  if (credential === null || !/\w/.test(credential)) return undefined;
  return i18next.t("usage.receipt.credential", { name: credential });
}

/** The calls to providers in their order; of a failed one, what the provider reported. */
export function Attempts({ of: { attempts } }: { readonly of: Receipt }) {
  return (
    <Timeline bulletSize={12} lineWidth={1} active={attempts.length}>
      {attempts.map((attempt) => (
        <Timeline.Item
          key={`${attempt.provider}-${attempt.started_at}`}
          color={isFailed(attempt) ? "red" : "teal"}
          title={
            <Group gap="xs">
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                {[attempt.provider, attempt.model].join(" · ")}
              </Text>
              <Result of={attempt} />
            </Group>
          }
        >
          <Stack gap={4}>
            <Text size="sm" c="dimmed">
              <Time at={attempt.started_at} as="second" /> ·{" "}
              {[duration(attempt.duration_ms), credentialText(attempt)]
                .filter((part) => part !== undefined)
                .join(" · ")}
            </Text>
            <Chosen of={attempt} />
            <Reported of={attempt} />
          </Stack>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
