import { Select, Text } from "@mantine/core";
import { IconBuilding } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { accountsQuery, useAccountId, useAccountName, useSeesAllAccounts } from "./account.ts";

/** For those who see several accounts: which of them everything is about. */
export function AccountSwitcher() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const account = useAccountId();
  const seesAll = useSeesAllAccounts();
  const nameOf = useAccountName();
  const { data = [] } = useInfiniteQuery({ ...accountsQuery, enabled: seesAll });
  if (!seesAll || data.length < 2)
    return (
      <Text size="sm" fw={500} truncate>
        {account !== undefined && nameOf(account)}
      </Text>
    );
  return (
    <Select
      size="xs"
      w={{ base: 160, sm: 240 }}
      searchable
      clearable
      limit={100}
      placeholder={t("shell.allAccounts")}
      aria-label={t("shell.account")}
      leftSection={<IconBuilding size={14} />}
      data={data.map(({ id, name }) => ({ value: id, label: name || id }))}
      value={account ?? null}
      onChange={(id) => void navigate({ to: ".", search: (before) => ({ ...before, account: id ?? undefined }) })}
    />
  );
}
