import { Drawer, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Receipt, UsageEvent } from "../../api/types.ts";
import { duration, integer } from "../../format/number.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountName, KeyLink } from "../../ui/names.tsx";
import { Time } from "../../ui/time.tsx";
import { unitText } from "../models/names.ts";
import { Attempts, failedText, Id, WhyFailed } from "./receipt-attempts.tsx";
import { LedgerRows } from "./receipt-ledger.tsx";
import { receiptQuery, tookMs } from "./usage.ts";
import { Outcome } from "./usage-requests.tsx";

const route = getRouteApi("/app/usage");

/** Zeros that say nothing are left out, cents stay. */
const trimmed = (usd: string): string => `$${usd.replace(/(\.\d\d\d*?)0+$/, "$1")}`;

/** What the prompt cache saved, which the charged amount has already been reduced by. */
function SavingRow({ of: { cache_saving: saving } }: { readonly of: Receipt }) {
  const { t } = useTranslation();
  if (saving === null || saving.tokens === 0) return null;
  return (
    <Table.Tr>
      <Table.Td colSpan={3}>{t("usage.receipt.cacheSaving")}</Table.Td>
      <Table.Td ta="right">{trimmed(saving.saved_usd)}</Table.Td>
    </Table.Tr>
  );
}

function Items({ of: receipt }: { readonly of: Receipt }) {
  const { items, event } = receipt;
  const { t } = useTranslation();
  return (
    <Table fz="sm" horizontalSpacing={0} captionSide="top">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("usage.receipt.unit")}</Table.Th>
          <Table.Th ta="right">{t("usage.receipt.quantity")}</Table.Th>
          <Table.Th ta="right">{t("usage.receipt.price")}</Table.Th>
          <Table.Th ta="right">{t("usage.receipt.cost")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map(({ unit, quantity, price_usd: price, per, cost_usd: cost }) => (
          <Table.Tr key={unit}>
            <Table.Td>{unitText(unit)}</Table.Td>
            <Table.Td ta="right">{integer(quantity)}</Table.Td>
            <Table.Td ta="right">
              {price === null ? t("usage.receipt.noPrice") : trimmed(price)}{" "}
              {price !== null && (
                <Text component="span" size="xs" c="dimmed">
                  {per === 1 ? t("usage.receipt.each") : t("usage.receipt.million")}
                </Text>
              )}
            </Table.Td>
            <Table.Td ta="right">{cost === null ? "—" : trimmed(cost)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th colSpan={3}>{t("usage.receipt.charged")}</Table.Th>
          <Table.Th ta="right">{trimmed(event.cost_usd)}</Table.Th>
        </Table.Tr>
        <SavingRow of={receipt} />
      </Table.Tfoot>
    </Table>
  );
}

function EventFacts({ of: event }: { readonly of: Receipt["event"] }) {
  const { t } = useTranslation();
  const took = tookMs(event as UsageEvent);
  return (
    <Facts>
      <FactRow name={t("usage.receipt.requestId")}>
        <Id of={event.request_id} />
      </FactRow>
      {event.client_request_id !== null && (
        <FactRow name={t("usage.receipt.clientRequestId")}>
          <Id of={event.client_request_id} />
        </FactRow>
      )}
      {event.trace_id !== null && (
        <FactRow name={t("usage.receipt.traceId")}>
          <Id of={event.trace_id} />
        </FactRow>
      )}
      {event.requested_model !== null && (
        <FactRow name={t("usage.receipt.requestedModel")}>
          {event.requested_model}
          {event.fallback_reason !== null && (
            <Text size="xs" c="dimmed">
              {t("usage.receipt.replaced", { reason: failedText(event.fallback_reason) })}
            </Text>
          )}
        </FactRow>
      )}
      <FactRow name={t("usage.receipt.provider")}>
        {event.upstream || "—"} {event.upstream_model !== event.model && event.upstream_model}
      </FactRow>
      <FactRow name={t("usage.receipt.key")}>{event.key_id === "" ? "—" : <KeyLink id={event.key_id} />}</FactRow>
      <FactRow name={t("usage.receipt.account")}>
        <AccountName id={event.account_id} />
      </FactRow>
      <FactRow name={t("usage.receipt.started")}>
        <Time at={event.started_at} as="second" />
      </FactRow>
      <FactRow name={t("usage.receipt.took")}>{took === null ? "—" : duration(took)}</FactRow>
      {event.first_byte_ms !== null && (
        <FactRow name={t("usage.receipt.firstByte")}>{duration(event.first_byte_ms)}</FactRow>
      )}
      <FactRow name={t("usage.receipt.pricing")}>{t(`usage.pricing.${event.pricing}`)}</FactRow>
      <FactRow name={t("usage.receipt.rule")}>{t(`usage.rules.${event.settlement_rule}`)}</FactRow>
      <FactRow name={t("usage.receipt.priceVersion")}>
        <Text size="xs" ff="monospace">
          {event.price_version || "—"}
        </Text>
      </FactRow>
      <FactRow name={t("usage.receipt.catalogVersion")}>
        <Text size="xs" ff="monospace">
          {event.catalog_version ?? "—"}
        </Text>
      </FactRow>
    </Facts>
  );
}

function Heading({ children }: { readonly children: string }) {
  return (
    <Text fw={600} size="sm" mb="xs">
      {children}
    </Text>
  );
}

function Body({ of: receipt }: { readonly of: Receipt }) {
  const { t } = useTranslation();
  const { event } = receipt;
  return (
    <Stack gap="lg">
      <Group justify="space-between" wrap="nowrap">
        <Stack gap={2}>
          <Text fw={600}>{event.model}</Text>
          <Text size="xs" c="dimmed">
            {event.operation}
          </Text>
        </Stack>
        <Stack gap={2} align="flex-end">
          <Money usd={event.cost_usd} fz="xl" fw={600} />
          {event.pricing === "unpriced" && (
            <Text size="xs" c="dimmed">
              {t("usage.pricing.unpriced")}
            </Text>
          )}
          <Outcome of={event} />
        </Stack>
      </Group>
      <WhyFailed of={receipt} />
      {receipt.items.length > 0 && <Items of={receipt} />}
      {receipt.attempts.length > 0 && (
        <div>
          <Heading>{t("usage.receipt.attempts")}</Heading>
          <Attempts of={receipt} />
        </div>
      )}
      <EventFacts of={event} />
      {receipt.ledger.length > 0 && (
        <div>
          <Heading>{t("usage.receipt.ledger")}</Heading>
          <LedgerRows of={receipt.ledger} />
        </div>
      )}
      {event.raw_usage !== null && (
        <div>
          <Heading>{t("usage.receipt.raw")}</Heading>
          <CodeBlock text={JSON.stringify(event.raw_usage, null, 2)} label={t("usage.receipt.raw")} />
        </div>
      )}
    </Stack>
  );
}

/** The receipt of the request that the address names. */
export function ReceiptDrawer() {
  const { t } = useTranslation();
  const { request } = route.useSearch();
  const navigate = useNavigate({ from: "/usage" });
  const query = useQuery({ ...receiptQuery(request ?? ""), enabled: request !== undefined });
  return (
    <Drawer
      opened={request !== undefined}
      onClose={() => void navigate({ search: (before) => ({ ...before, request: undefined }) })}
      position="right"
      size="lg"
      title={t("usage.receipt.title")}
    >
      <Loaded query={query} height={320}>
        {(data) => <Body of={data} />}
      </Loaded>
    </Drawer>
  );
}
