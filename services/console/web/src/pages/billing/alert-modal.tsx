import { Button, Group, Modal, NumberInput, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Key, SpendAlert } from "../../api/types.ts";
import { Failure } from "../../ui/failure.tsx";
import { alertValuesOf, saveAlert, usualThresholds } from "./alerts.ts";

interface FormProps {
  readonly account: string;
  readonly keys: readonly Key[];
  /** The alert that is changed; undefined for a new one. */
  readonly of: SpendAlert | undefined;
  readonly onClose: () => void;
}

function AlertForm({ account, keys, of: alert, onClose }: FormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm({ initialValues: alertValuesOf(alert) });
  const save = useMutation({
    mutationFn: (values: typeof form.values) => saveAlert(account, values, alert),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: ["billing", account, "alerts"] });
    },
  });
  const choices = keys.map(({ id, key_alias, hint }) => ({ value: id, label: key_alias || hint }));
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="md">
        <TextInput
          label={t("billing.alertForm.name")}
          description={t("billing.alertForm.nameHint")}
          maxLength={200}
          data-autofocus
          {...form.getInputProps("name")}
        />
        {alert === undefined && (
          <Select
            label={t("billing.alertForm.key")}
            data={[{ value: "", label: t("billing.wholeAccount") }, ...choices]}
            allowDeselect={false}
            searchable
            limit={100}
            {...form.getInputProps("key_id")}
          />
        )}
        <NumberInput
          label={t("billing.alertForm.amount")}
          description={t("billing.alertForm.amountHint")}
          prefix="$"
          decimalScale={9}
          thousandSeparator=","
          min={0}
          allowNegative={false}
          required
          {...form.getInputProps("monthly_usd")}
        />
        <TagsInput
          label={t("billing.alertForm.thresholds")}
          description={t("billing.alertForm.thresholdsHint")}
          data={usualThresholds}
          maxTags={10}
          required
          {...form.getInputProps("thresholds")}
        />
        <TagsInput
          label={t("billing.alertForm.emails")}
          description={t("billing.alertForm.emailsHint")}
          maxTags={5}
          {...form.getInputProps("emails")}
        />
        <TextInput
          type="url"
          label={t("billing.alertForm.webhook")}
          description={t("billing.alertForm.webhookHint")}
          maxLength={2_048}
          {...form.getInputProps("webhook_url")}
        />
        {save.error !== null && <Failure error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t("common.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Props extends Omit<FormProps, "of"> {
  /** Null for a new one, undefined for none. */
  readonly alert: SpendAlert | null | undefined;
}

export function AlertModal({ alert, onClose, ...props }: Props) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={alert !== undefined}
      onClose={onClose}
      title={t(alert === null ? "billing.alertForm.create" : "billing.alertForm.edit")}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <AlertForm of={alert ?? undefined} onClose={onClose} {...props} />
    </Modal>
  );
}
