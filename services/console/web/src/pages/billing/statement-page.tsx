import { Button, Group, Skeleton, Table, Text } from "@mantine/core";
import { IconArrowLeft, IconDownload, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Invoice } from "../../api/types.ts";
import { exactUsd, nanoUsdOf } from "../../format/money.ts";
import { integer } from "../../format/number.ts";
import { timeText } from "../../format/time.ts";
import { useSession } from "../../session/use-session.ts";
import { useAccountId, useAccountName } from "../../shell/account.ts";
import { ChooseAccount } from "../../ui/choose-account.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { Failure } from "../../ui/failure.tsx";
import { TextLink } from "../../ui/links.tsx";
import { KeyLink } from "../../ui/names.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { invoiceQuery, keysOfMonthQuery, timesOf } from "./billing.ts";

const route = getRouteApi("/app/billing/$month");

const exact = (usd: string): string => exactUsd(nanoUsdOf(usd));

/**
 * RFC 4180; a model's name that a spreadsheet would treat as a formula is prefixed with a quote.
 */
function csvOf({ lines }: Invoice): string {
  const field = (text: string): string => `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const rows = lines.map(({ model, requests, charged_usd }) => `${field(model)},${requests},${charged_usd}`);
  return ["model,requests,charged_usd", ...rows, ""].join("\r\n");
}

function download(invoice: Invoice): void {
  const url = URL.createObjectURL(new Blob([csvOf(invoice)], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: `statement-${invoice.month}.csv` });
  link.click();
  URL.revokeObjectURL(url);
}

interface Amount {
  readonly id: string;
  readonly name: ReactNode;
  readonly requests: number;
  readonly usd: string;
}

/** What a month consists of, by model or by key. */
function Amounts({ of: title, rows }: { readonly of: string; readonly rows: readonly Amount[] }) {
  const { t } = useTranslation();
  return (
    <Table fz="sm" mt="md" horizontalSpacing={0}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{title}</Table.Th>
          <Table.Th ta="right" px="sm">
            {t("billing.invoice.requests")}
          </Table.Th>
          <Table.Th ta="right">{t("billing.invoice.amount")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ id, name, requests, usd }) => (
          <Table.Tr key={id}>
            <Table.Td>{name}</Table.Td>
            <Table.Td ta="right" px="sm">
              {integer(requests)}
            </Table.Td>
            <Table.Td ta="right">{exact(usd)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Lines({ of: { lines } }: { readonly of: Invoice }) {
  const { t } = useTranslation();
  const rows = lines.map(({ model, requests, charged_usd: usd }) => ({ id: model, name: model, requests, usd }));
  return <Amounts of={t("billing.invoice.model")} rows={rows} />;
}

/** The month's usage by key, as requests were made in it. */
function Keys({ of: { account_id: id, month } }: { readonly of: Invoice }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(keysOfMonthQuery(id, month));
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={80} mt="md" />;
  return (
    <>
      <Amounts
        of={t("billing.invoice.key")}
        rows={data.groups.map(({ name, total }) => ({
          id: name ?? "",
          name: name === null || name === "" ? t("billing.invoice.otherKeys") : <KeyLink id={name} />,
          requests: total.requests,
          usd: total.cost_usd,
        }))}
      />
      <Text size="xs" c="dimmed" mt="xs">
        {t("billing.invoice.keysAbout")}
      </Text>
    </>
  );
}

/** The first and the last day of a month. */
function daysOf(month: string): { first: string; last: string } {
  const { from, until } = timesOf(month);
  return { first: timeText(from, "day"), last: timeText(new Date(Date.parse(until) - 1).toISOString(), "day") };
}

function Statement({ of: invoice }: { readonly of: Invoice }) {
  const { t } = useTranslation();
  const { base_url: baseUrl } = useSession();
  return (
    <Panel p={{ base: "md", sm: "xl" }}>
      <Facts>
        <FactRow name={t("billing.invoice.number")}>
          {invoice.account_id}-{invoice.month}
        </FactRow>
        <FactRow name={t("billing.invoice.issuer")}>{new URL(baseUrl).host}</FactRow>
        <FactRow name={t("billing.invoice.period")}>{t("billing.invoice.days", daysOf(invoice.month))}</FactRow>
        <FactRow name={t("billing.invoice.account")}>{useAccountName()(invoice.account_id)}</FactRow>
        <FactRow name={t("billing.invoice.opening")}>{exact(invoice.opening_usd)}</FactRow>
        <FactRow name={t("billing.invoice.toppedUp")}>{exact(invoice.topped_up_usd)}</FactRow>
        <FactRow name={t("billing.invoice.corrected")}>{exact(invoice.corrected_usd)}</FactRow>
        <FactRow name={t("billing.invoice.charged")}>−{exact(invoice.charged_usd)}</FactRow>
        <FactRow name={t("billing.invoice.closing")}>
          <strong>{exact(invoice.closing_usd)}</strong>
        </FactRow>
        <FactRow name={t("billing.invoice.writtenOff")}>{exact(invoice.written_off_usd)}</FactRow>
      </Facts>
      <Lines of={invoice} />
      <Keys of={invoice} />
      <Text size="xs" c="dimmed" mt="md">
        {t("billing.invoice.exact")} {!invoice.closed && t("billing.invoice.open")}
      </Text>
    </Panel>
  );
}

/** A month as it is printed. */
export function StatementPage() {
  const { t } = useTranslation();
  const { month } = route.useParams();
  const id = useAccountId();
  const { data, error, refetch } = useQuery({ ...invoiceQuery(id ?? "", month), enabled: id !== undefined });
  const action = data && (
    <Group gap="sm" className="no-print">
      <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => download(data)}>
        {t("billing.invoice.csv")}
      </Button>
      <Button leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
        {t("billing.invoice.print")}
      </Button>
    </Group>
  );
  return (
    <Page title={t("billing.invoice.title", { month })} action={action}>
      <TextLink to="/billing" size="sm" className="no-print">
        <Group gap={4}>
          <IconArrowLeft size={14} /> {t("billing.invoice.back")}
        </Group>
      </TextLink>
      {id === undefined && <ChooseAccount />}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {id !== undefined && error === null && (data === undefined ? <Skeleton h={320} /> : <Statement of={data} />)}
    </Page>
  );
}
