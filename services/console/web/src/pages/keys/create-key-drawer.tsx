import { Drawer, Select } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { NewKey } from "../../api/types.ts";
import { accountsQuery, useAccountId, useSeesAllAccounts } from "../../shell/account.ts";
import { KeyForm } from "./key-form.tsx";
import { type KeyValues, newBodyOf } from "./key-values.ts";
import { refreshKeys } from "./keys.ts";

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (key: NewKey) => void;
}

export function CreateKeyDrawer({ opened, onClose, onMade }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const shown = useAccountId();
  const [chosen, setChosen] = useState<string | null>(null);
  const seesAll = useSeesAllAccounts();
  const accounts = useInfiniteQuery({ ...accountsQuery, enabled: seesAll });
  const account = shown ?? chosen ?? accounts.data?.[0]?.id;
  const create = useMutation({
    mutationFn: (values: KeyValues) =>
      call<NewKey>("/admin/v1/keys", { method: "POST", body: { ...newBodyOf(values), account_id: account } }),
    onSuccess: async (key) => {
      onMade(key);
      create.reset();
      await refreshKeys(client);
    },
  });
  const chooser = shown === undefined && (
    <Select
      label={t("keys.form.account")}
      data={(accounts.data ?? []).map(({ id, name }) => ({ value: id, label: name || id }))}
      value={account ?? null}
      onChange={setChosen}
      allowDeselect={false}
      searchable
    />
  );
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="md" title={t("keys.form.create")}>
      <KeyForm
        account={account}
        first={chooser}
        submit={t("keys.form.submit")}
        error={create.error}
        pending={create.isPending}
        onSubmit={(values) => create.mutate(values)}
        onCancel={onClose}
      />
    </Drawer>
  );
}
