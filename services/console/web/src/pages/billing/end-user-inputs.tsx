import { SimpleGrid, Stack, Switch, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { AmountInput } from "../../ui/amount-input.tsx";
import { RateInputs } from "../keys/rate-inputs.tsx";
import { BudgetPeriodSelect } from "./budget-period-select.tsx";
import type { BudgetValues } from "./shared-budgets.ts";

interface Props {
  readonly form: UseFormReturnType<BudgetValues>;
}

/** Inputs for what each end user below a budget has. */
export function EndUserInputs({ form }: Props) {
  const { t } = useTranslation();
  const { end_users: rule } = form.getValues();
  const nested = {
    key: (name: string) => form.key(`end_users.${name}`),
    getInputProps: (name: string) => form.getInputProps(`end_users.${name}`),
  };
  return (
    <Stack gap="sm" role="group" aria-label={t("billing.shared.endUsers.title")}>
      <div>
        <Text size="sm" fw={500}>
          {t("billing.shared.endUsers.title")}
        </Text>
        <Text size="xs" c="dimmed">
          {t("billing.shared.endUsers.hint")}
        </Text>
      </div>
      <AmountInput label={t("billing.shared.endUsers.amount")} {...form.getInputProps("end_users.max_budget")} />
      {rule.max_budget !== "" && (
        <>
          <BudgetPeriodSelect label={t("billing.shared.endUsers.period")} {...form.getInputProps("end_users.period")} />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <RateInputs form={nested} />
          </SimpleGrid>
          <Switch
            label={t("billing.shared.endUsers.required")}
            description={t("billing.shared.endUsers.requiredHint")}
            {...form.getInputProps("end_users.required", { type: "checkbox" })}
          />
        </>
      )}
    </Stack>
  );
}
