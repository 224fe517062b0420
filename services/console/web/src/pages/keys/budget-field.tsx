import { Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { pathsOf, sharedBudgetsQuery } from "../billing/shared-budgets.ts";
import type { KeyValues } from "./key-values.ts";

interface Props {
  readonly form: UseFormReturnType<KeyValues>;
  readonly account: string;
}

/** The budget that a key shares with others of its account. */
export function BudgetField({ form, account }: Props) {
  const { t } = useTranslation();
  const { data: budgets } = useQuery(sharedBudgetsQuery(account));
  const { setFieldValue, getValues } = form;
  useEffect(() => {
    const { budget_id: chosen } = getValues();
    // Another account was chosen.
    if (chosen !== "" && budgets?.every(({ id }) => id !== chosen)) setFieldValue("budget_id", "");
  }, [budgets, getValues, setFieldValue]);
  const choices = [...pathsOf(budgets ?? [])].map(([value, label]) => ({ value, label }));
  return (
    <Select
      label={t("keys.form.sharedBudget")}
      description={t("keys.form.sharedBudgetHint")}
      data={[{ value: "", label: t("keys.form.noSharedBudget") }, ...choices]}
      allowDeselect={false}
      searchable
      limit={100}
      key={form.key("budget_id")}
      {...form.getInputProps("budget_id")}
    />
  );
}
