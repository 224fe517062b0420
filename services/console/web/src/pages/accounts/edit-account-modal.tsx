import { Modal, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Account } from "../../api/types.ts";
import { accountPath } from "../../shell/account.ts";
import { Actions } from "../../ui/actions.tsx";

interface Props {
  readonly of: Account;
  readonly onClose: () => void;
}

/** The account's name and settings. */
export function EditAccountModal({ of: account, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { name, keep_answers, lower_output_cap, store_responses, disabled } = account;
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name, keep_answers, lower_output_cap, store_responses, disabled },
  });
  const save = useMutation({
    mutationFn: (body: typeof form.values) => call<Account>(accountPath(account.id), { method: "PATCH", body }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ["accounts"] }),
        client.invalidateQueries({ queryKey: ["billing", account.id] }),
      ]);
      notifications.show({ message: t("accounts.saved"), color: "teal" });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t("accounts.edit")}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <TextInput
            label={t("accounts.form.name")}
            data-autofocus
            maxLength={200}
            key={form.key("name")}
            {...form.getInputProps("name")}
          />
          <Switch
            label={t("accounts.form.keepAnswers")}
            key={form.key("keep_answers")}
            {...form.getInputProps("keep_answers", { type: "checkbox" })}
          />
          <Switch
            label={t("accounts.form.lowerOutputCap")}
            description={t("accounts.form.lowerOutputCapAbout")}
            key={form.key("lower_output_cap")}
            {...form.getInputProps("lower_output_cap", { type: "checkbox" })}
          />
          <Switch
            label={t("accounts.form.storeResponses")}
            description={t("accounts.form.storeResponsesAbout")}
            key={form.key("store_responses")}
            {...form.getInputProps("store_responses", { type: "checkbox" })}
          />
          <Switch
            label={t("accounts.form.disabled")}
            description={t("accounts.form.disabledAbout")}
            color="red"
            key={form.key("disabled")}
            {...form.getInputProps("disabled", { type: "checkbox" })}
          />
          <Actions of={save} onCancel={onClose}>
            {t("common.save")}
          </Actions>
        </Stack>
      </form>
    </Modal>
  );
}
