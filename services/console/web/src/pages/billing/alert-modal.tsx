import { Modal, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/error.ts";
import type { Key, SpendAlert } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { AmountInput } from "../../ui/amount-input.tsx";
import { type AlertValues, alertKinds, alertValuesOf, saveAlert, usualThresholds } from "./alerts.ts";
import { messageBudgetsQuery } from "./billing.ts";
import { pathsOf, sharedBudgetsQuery } from "./shared-budgets.ts";

interface FormProps {
  readonly account: string;
  readonly keys: readonly Key[];
  /** The alert that is changed; undefined for a new one. */
  readonly of: SpendAlert | undefined;
  readonly onClose: () => void;
}

type Form = UseFormReturnType<AlertValues>;

/** What an alert is about, and for whose money. */
function About({ form, keys, account }: { readonly form: Form } & Pick<FormProps, "keys" | "account">) {
  const { t } = useTranslation();
  const { kind } = form.getValues();
  const kinds = alertKinds.map((value) => {
    return { value, label: t(`billing.alertForm.kinds.${value}`) };
  });
  const able = kind === "budget" ? keys.filter(({ max_budget }) => max_budget !== null) : keys;
  const choices = able.map(({ id, key_alias, hint }) => ({ value: id, label: key_alias || hint }));
  return (
    <>
      <Select label={t("billing.alertForm.kind")} data={kinds} allowDeselect={false} {...form.getInputProps("kind")} />
      {kind === "shared" && <BudgetSelect form={form} account={account} />}
      {(kind === "spend" || kind === "budget") && (
        // Begins anew with the kind: it would search for the text of what it no longer offers.
        <Select
          key={kind}
          label={t("billing.alertForm.key")}
          data={kind === "budget" ? choices : [{ value: "", label: t("billing.wholeAccount") }, ...choices]}
          nothingFoundMessage={t("billing.alertForm.noKeyWithBudget")}
          description={kind === "budget" && t("billing.alertForm.keyHint")}
          allowDeselect={false}
          searchable
          limit={100}
          required={kind === "budget"}
          {...form.getInputProps("key_id")}
        />
      )}
    </>
  );
}

function BudgetSelect({ form, account }: { readonly form: Form; readonly account: string }) {
  const { t } = useTranslation();
  const { data: budgets = [] } = useQuery(sharedBudgetsQuery(account));
  return (
    <Select
      label={t("billing.alertForm.key")}
      data={[...pathsOf(budgets)].map(([value, label]) => ({ value, label }))}
      nothingFoundMessage={t("billing.shared.none")}
      allowDeselect={false}
      searchable
      limit={100}
      required
      {...form.getInputProps("budget_id")}
    />
  );
}

/** When an alert is sent. */
function Measures({ form }: { readonly form: Form }) {
  const { t } = useTranslation();
  const { kind } = form.getValues();
  if (kind === "balance") {
    const label = t("billing.alertForm.below");
    return (
      <AmountInput
        label={label}
        description={t("billing.alertForm.belowHint")}
        required
        {...form.getInputProps("below_usd")}
      />
    );
  }
  return (
    <>
      {kind === "spend" && (
        <AmountInput
          label={t("billing.alertForm.amount")}
          description={t("billing.alertForm.amountHint")}
          required
          {...form.getInputProps("monthly_usd")}
        />
      )}
      <TagsInput
        label={t("billing.alertForm.thresholds")}
        description={t(kind === "shared" ? "billing.alertForm.periodHint" : "billing.alertForm.thresholdsHint")}
        data={usualThresholds}
        maxTags={10}
        required
        {...form.getInputProps("thresholds")}
      />
    </>
  );
}

function Receivers({ form, account }: { readonly form: Form; readonly account: string }) {
  const { t } = useTranslation();
  const { data: budgets } = useQuery(messageBudgetsQuery(account));
  const hasMail = budgets === undefined || budgets.data.some(({ kind }) => kind === "mail");
  return (
    <>
      <TagsInput
        label={t("billing.alertForm.emails")}
        description={t(hasMail ? "billing.alertForm.emailsHint" : "billing.alertForm.noMail")}
        disabled={!hasMail}
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
    </>
  );
}

/** The form's field that an error is about: `emails` for `emails[1]`. */
function fieldOf({ param }: ApiError): keyof AlertValues | undefined {
  const name = param?.split("[", 1)[0];
  return (Object.keys(alertValuesOf()) as (keyof AlertValues)[]).find((field) => field === name);
}

function AlertForm({ account, keys, of: alert, onClose }: FormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm({ initialValues: alertValuesOf(alert) });
  const save = useMutation({
    mutationFn: (values: AlertValues) => saveAlert(account, values, alert),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: ["billing", account] });
    },
    onError: (error) => {
      const field = error instanceof ApiError ? fieldOf(error) : undefined;
      if (field !== undefined) form.setFieldError(field, error.message);
    },
  });
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
        {alert === undefined && <About form={form} keys={keys} account={account} />}
        <Measures form={form} />
        <Receivers form={form} account={account} />
        <Actions of={save} onCancel={onClose}>
          {t("common.save")}
        </Actions>
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
    >
      <AlertForm of={alert ?? undefined} onClose={onClose} {...props} />
    </Modal>
  );
}
