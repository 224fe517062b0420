import { Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { holdsQuery } from "./billing.ts";

function Rows({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(holdsQuery(id));
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={80} />;
  if (data.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t("billing.noHolds")}
      </Text>
    );
  return (
    <Table fz="sm" horizontalSpacing={0}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("billing.holdColumns.service")}</Table.Th>
          <Table.Th>{t("billing.holdColumns.since")}</Table.Th>
          <Table.Th ta="right">{t("billing.holdColumns.left")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {data.data.map((hold) => (
          <Table.Tr key={hold.id}>
            <Table.Td>
              {t(`billing.purposes.${hold.purpose}`)} {hold.service !== null && `· ${hold.service}`}
              <Text size="xs" c="dimmed">
                {hold.until === null ? t("billing.asLong") : <Time at={hold.until} as="relative" />}
              </Text>
            </Table.Td>
            <Table.Td>
              <Time at={hold.created_at} as="relative" />
            </Table.Td>
            <Table.Td ta="right">
              <Money usd={hold.held_usd} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** What of an account's money is set aside, and for what. */
export function Holds({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("billing.holds")}>
      <Text size="xs" c="dimmed" mb="sm">
        {t("billing.holdsAbout")}
      </Text>
      <Rows id={id} />
    </Panel>
  );
}
