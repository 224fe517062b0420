import { NumberInput, SimpleGrid, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { BudgetField } from "./budget-field.tsx";
import type { KeyValues } from "./key-values.ts";

interface Props {
  readonly form: UseFormReturnType<KeyValues>;
  readonly hint: string;
  /** Whose budgets can be shared; undefined where the user may not read them. */
  readonly account: string | undefined;
}

/** The limits of a key, or of all keys that a member creates. */
export function LimitFields({ form, hint, account }: Props) {
  const { t } = useTranslation();
  const limit = {
    min: 1,
    allowDecimal: false,
    allowNegative: false,
    thousandSeparator: ",",
    placeholder: t("common.unlimited"),
  };
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={500}>
          {t("keys.form.limits")}
        </Text>
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label={t("keys.form.rpm")}
          {...limit}
          key={form.key("rpm_limit")}
          {...form.getInputProps("rpm_limit")}
        />
        <NumberInput
          label={t("keys.form.tpm")}
          {...limit}
          key={form.key("tpm_limit")}
          {...form.getInputProps("tpm_limit")}
        />
        <NumberInput
          label={t("keys.form.concurrency")}
          {...limit}
          key={form.key("max_parallel_requests")}
          {...form.getInputProps("max_parallel_requests")}
        />
        <NumberInput
          label={t("keys.form.budget")}
          {...limit}
          min={0}
          allowDecimal
          decimalScale={9}
          prefix="$"
          key={form.key("max_budget")}
          {...form.getInputProps("max_budget")}
        />
      </SimpleGrid>
      {account !== undefined && <BudgetField form={form} account={account} />}
    </Stack>
  );
}
