import { Modal, MultiSelect, Select, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/error.ts";
import { useModels } from "../../api/models.ts";
import type { SharedBudget } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { AmountInput } from "../../ui/amount-input.tsx";
import { RateInputs } from "../keys/rate-inputs.tsx";
import { BudgetPeriodSelect } from "./budget-period-select.tsx";
import { EndUserInputs } from "./end-user-inputs.tsx";
import { type BudgetValues, budgetValuesOf, pathsOf, possibleParents, saveBudget } from "./shared-budgets.ts";

interface FormProps {
  readonly account: string;
  readonly budgets: readonly SharedBudget[];
  /** The budget that is changed; undefined for a new one. */
  readonly of: SharedBudget | undefined;
  readonly onClose: () => void;
}

function BudgetForm({ account, budgets, of: budget, onClose }: FormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm<BudgetValues>({ initialValues: budgetValuesOf(budget) });
  const save = useMutation({
    mutationFn: (values: BudgetValues) => saveBudget(account, values, budget),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: ["billing", account] });
    },
    onError: (error) => {
      const field = error instanceof ApiError ? error.param : null;
      const [first = ""] = field?.split(".") ?? [];
      if (field !== null && first in form.getValues()) form.setFieldError(field, error.message);
    },
  });
  const models = useModels();
  const paths = pathsOf(budgets);
  const parents = possibleParents(budgets).map(({ id, name }) => ({ value: id, label: paths.get(id) ?? name }));
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="md">
        <TextInput
          label={t("billing.shared.form.name")}
          description={t("billing.shared.form.nameHint")}
          maxLength={200}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        {budget === undefined && parents.length > 0 && (
          <Select
            label={t("billing.shared.form.parent")}
            description={t("billing.shared.form.parentHint")}
            data={[{ value: "", label: t("billing.shared.form.noParent") }, ...parents]}
            allowDeselect={false}
            searchable
            limit={100}
            {...form.getInputProps("parent_id")}
          />
        )}
        <AmountInput label={t("billing.shared.form.amount")} required {...form.getInputProps("max_budget")} />
        <BudgetPeriodSelect
          label={t("billing.shared.form.period")}
          description={t("billing.shared.form.periodHint")}
          {...form.getInputProps("period")}
        />
        <Switch
          label={t("billing.shared.form.hard")}
          description={t("billing.shared.form.hardHint")}
          {...form.getInputProps("hard", { type: "checkbox" })}
        />
        <div>
          <Text size="sm" fw={500}>
            {t("keys.form.limits")}
          </Text>
          <Text size="xs" c="dimmed">
            {t("billing.shared.form.limitsHint")}
          </Text>
        </div>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <RateInputs form={form} />
        </SimpleGrid>
        <MultiSelect
          label={t("keys.form.models")}
          description={t("billing.shared.form.modelsHint")}
          data={[...new Set([...(models.data ?? []).map(({ id }) => id), ...(budget?.models ?? [])])]}
          searchable
          clearable
          hidePickedOptions
          limit={100}
          {...form.getInputProps("models")}
        />
        <EndUserInputs form={form} />
        <Actions of={save} onCancel={onClose}>
          {t("common.save")}
        </Actions>
      </Stack>
    </form>
  );
}

interface Props extends Omit<FormProps, "of"> {
  /** Null for a new one, undefined for none. */
  readonly budget: SharedBudget | null | undefined;
}

export function SharedBudgetModal({ budget, onClose, ...props }: Props) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={budget !== undefined}
      onClose={onClose}
      title={t(budget === null ? "billing.shared.form.create" : "billing.shared.form.edit")}
    >
      <BudgetForm of={budget ?? undefined} onClose={onClose} {...props} />
    </Modal>
  );
}
