import { Modal, NumberInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { accountPath, accountQuery } from "../../shell/account.ts";
import { Actions } from "../../ui/actions.tsx";

interface Props {
  readonly id: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** By its reference a top-up happens once, however often it is sent. */
const newReference = (): string => `console-${crypto.randomUUID()}`;

export function TopUpModal({ id, opened, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const account = useQuery({ ...accountQuery(id), enabled: opened });
  const [reference, setReference] = useState(newReference);
  const form = useForm({ mode: "uncontrolled", initialValues: { amount_usd: "" as string | number, note: "" } });
  const topUp = useMutation({
    mutationFn: ({ amount_usd, note }: { amount_usd: string | number; note: string }) =>
      call(`${accountPath(id)}/top-ups`, { method: "POST", body: { amount_usd: String(amount_usd), note, reference } }),
    onSuccess: async () => {
      setReference(newReference());
      form.reset();
      onClose();
      notifications.show({ message: t("billing.form.done"), color: "teal" });
      await Promise.all([
        client.invalidateQueries({ queryKey: ["billing"] }),
        client.invalidateQueries({ queryKey: ["accounts"] }),
      ]);
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t("billing.form.title", { name: account.data?.name ?? id })}>
      <form onSubmit={form.onSubmit((values) => topUp.mutate(values))}>
        <Stack gap="md">
          <NumberInput
            label={t("billing.form.amount")}
            prefix="$"
            decimalScale={9}
            thousandSeparator=","
            required
            data-autofocus
            key={form.key("amount_usd")}
            {...form.getInputProps("amount_usd")}
          />
          <TextInput
            label={t("billing.form.note")}
            description={t("billing.form.noteHint")}
            maxLength={1_000}
            key={form.key("note")}
            {...form.getInputProps("note")}
          />
          <Actions of={topUp} onCancel={onClose}>
            {t("billing.form.submit")}
          </Actions>
        </Stack>
      </form>
    </Modal>
  );
}
