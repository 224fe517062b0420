import { Select } from "@mantine/core";
import { IconBuilding } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { accountsQuery } from "../shell/account.ts";
import { Empty } from "./empty.tsx";
import { Panel } from "./panel.tsx";

/** Stands where a page needs one account and none is chosen. */
export function ChooseAccount() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data = [] } = useInfiniteQuery(accountsQuery);
  return (
    <Panel>
      <Empty
        icon={IconBuilding}
        title={t("billing.choose")}
        hint={t("billing.chooseHint")}
        action={
          <Select
            mt="sm"
            w={280}
            aria-label={t("shell.account")}
            placeholder={t("shell.account")}
            searchable
            limit={100}
            data={data.map(({ id, name }) => ({ value: id, label: name || id }))}
            onChange={(id) => void navigate({ to: ".", search: (before) => ({ ...before, account: id ?? undefined }) })}
          />
        }
      />
    </Panel>
  );
}
