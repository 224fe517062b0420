import { Stack, Table, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { LedgerEntry } from "../../api/types.ts";
import { Money } from "../../ui/money.tsx";
import { Time } from "../../ui/time.tsx";

/** What the ledger has about a request. */
export function LedgerRows({ of: entries }: { readonly of: readonly LedgerEntry[] }) {
  const { t } = useTranslation();
  return (
    <Table fz="sm" horizontalSpacing={0}>
      <Table.Tbody>
        {entries.map(({ id, kind, at, charged_usd, hash }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Stack gap={0}>
                <Text size="sm">{t(`billing.kinds.${kind as "settle"}`, { defaultValue: kind })}</Text>
                <Tooltip label={hash}>
                  <Text size="xs" c="dimmed" ff="monospace">
                    {hash.slice(0, 12)}…
                  </Text>
                </Tooltip>
              </Stack>
            </Table.Td>
            <Table.Td>
              <Time at={at} />
            </Table.Td>
            <Table.Td ta="right">
              <Money usd={charged_usd} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
