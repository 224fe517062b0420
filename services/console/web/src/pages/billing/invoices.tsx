import { Badge, Group, Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Failure } from "../../ui/failure.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { invoicesQuery } from "./billing.ts";

function Rows({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(invoicesQuery(id));
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={80} />;
  if (data.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t("billing.noInvoices")}
      </Text>
    );
  return (
    <Table fz="sm" horizontalSpacing={0}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("billing.invoiceColumns.month")}</Table.Th>
          <Table.Th ta="right">{t("billing.invoiceColumns.charged")}</Table.Th>
          <Table.Th ta="right">{t("billing.invoiceColumns.closing")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {data.data.map(({ month, closed, charged_usd, closing_usd }) => (
          <Table.Tr key={month}>
            <Table.Td>
              <Group gap="xs">
                <TextLink to="/billing/$month" params={{ month }} size="sm">
                  {month}
                </TextLink>
                {!closed && (
                  <Badge variant="default" size="sm" tt="none">
                    {t("billing.open")}
                  </Badge>
                )}
              </Group>
            </Table.Td>
            <Table.Td ta="right">
              <Money usd={charged_usd} />
            </Table.Td>
            <Table.Td ta="right">
              <Money usd={closing_usd} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** An account's months, each with its printable statement. */
export function Invoices({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("billing.invoices")}>
      <Rows id={id} />
    </Panel>
  );
}
