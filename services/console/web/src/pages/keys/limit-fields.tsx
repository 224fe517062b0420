import { NumberInput, SimpleGrid, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { BudgetField } from "./budget-field.tsx";
import type { KeyValues } from "./key-values.ts";
import { RateInputs, useLimitProps } from "./rate-inputs.tsx";

interface Props {
  readonly form: UseFormReturnType<KeyValues>;
  readonly hint: string;
  /** Whose budgets can be shared; undefined where the user may not read them. */
  readonly account: string | undefined;
}

/** The limits of a key, or of all keys that a member creates. */
export function LimitFields({ form, hint, account }: Props) {
  const { t } = useTranslation();
  const limit = useLimitProps();
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
        <RateInputs form={form} />
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
