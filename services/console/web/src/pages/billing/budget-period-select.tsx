import { Select, type SelectProps } from "@mantine/core";
import { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import { useTranslation } from "react-i18next";

/** Chooses after which time a budget starts again. */
export function BudgetPeriodSelect(props: Omit<SelectProps, "data" | "allowDeselect">) {
  const { t } = useTranslation();
  const data = budgetPeriods.map((value) => ({ value, label: t(`billing.shared.periods.${value}`) }));
  return <Select {...props} data={data} allowDeselect={false} />;
}
