import { Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/error.ts";
import { call } from "../../api/http.ts";
import type { SharedBudget } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { useAllKeys } from "../keys/keys.ts";
import { budgetPath } from "./shared-budgets.ts";

/** Names that are listed; more are only counted. */
const mostNames = 5;

function useNames(names: readonly string[]): string {
  const { t } = useTranslation();
  const shown = names.slice(0, mostNames).join(t("common.comma"));
  const more = names.length - mostNames;
  return more > 0 ? t("billing.shared.remove.andMore", { shown, count: more }) : shown;
}

interface FormProps {
  readonly of: SharedBudget;
  readonly budgets: readonly SharedBudget[];
  readonly onClose: () => void;
}

/** Names what uses the budget, if the deletion is refused for that reason. */
function useReason({ of: { id, account_id }, budgets }: FormProps): (error: Error | null) => Error | null {
  const { t } = useTranslation();
  const keys = useAllKeys({ account: account_id, withRevoked: false }).data ?? [];
  const below = useNames(budgets.filter(({ parent_id }) => parent_id === id).map(({ name }) => name));
  const users = keys.filter(({ budget_id }) => budget_id === id);
  const using = useNames(users.map(({ key_alias, hint }) => key_alias || hint));
  return (error) => {
    if (!(error instanceof ApiError) || error.param !== "id" || error.code !== "invalid_request") return error;
    if (below !== "") return new Error(t("billing.shared.remove.hasBelow", { names: below }));
    return using === "" ? error : new Error(t("billing.shared.remove.hasKeys", { names: using }));
  };
}

function DeleteForm(props: FormProps) {
  const { of: budget, onClose } = props;
  const { t } = useTranslation();
  const client = useQueryClient();
  const reasonOf = useReason(props);
  const remove = useMutation({
    mutationFn: () => call(budgetPath(budget.id), { method: "DELETE" }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ["billing", budget.account_id] }),
  });
  return (
    <Stack gap="md">
      <Text size="sm">{t("billing.shared.remove.about")}</Text>
      <Actions
        of={{ error: reasonOf(remove.error), isPending: remove.isPending }}
        onCancel={onClose}
        color="red"
        onClick={() => remove.mutate()}
      >
        {t("common.delete")}
      </Actions>
    </Stack>
  );
}

interface Props extends Omit<FormProps, "of"> {
  readonly budget: SharedBudget | undefined;
}

/** Asks before a budget is deleted, and lists what still uses it. */
export function DeleteBudgetModal({ budget, onClose, ...props }: Props) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={budget !== undefined}
      onClose={onClose}
      title={t("billing.shared.remove.title", { name: budget?.name ?? "" })}
    >
      {budget !== undefined && <DeleteForm of={budget} onClose={onClose} {...props} />}
    </Modal>
  );
}
