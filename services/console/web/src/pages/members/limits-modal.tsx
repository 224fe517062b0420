import { Modal, MultiSelect, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { useModels } from "../../api/models.ts";
import { Actions } from "../../ui/actions.tsx";
import { type KeyValues, newBodyOf, valuesOf } from "../keys/key-values.ts";
import { LimitFields } from "../keys/limit-fields.tsx";
import { type KeyLimits, type Member, userPath } from "./members.ts";

/** What the form begins with. */
function startOf({ models, rpm_limit, tpm_limit, max_parallel_requests, max_budget, budget_id }: KeyLimits): KeyValues {
  return {
    ...valuesOf(),
    models: models ?? [],
    rpm_limit: rpm_limit ?? "",
    tpm_limit: tpm_limit ?? "",
    max_parallel_requests: max_parallel_requests ?? "",
    max_budget: max_budget ?? "",
    budget_id: budget_id ?? "",
  };
}

const limitNames = ["models", "rpm_limit", "tpm_limit", "max_parallel_requests", "max_budget", "budget_id"];

const limitsOf = (values: KeyValues): object =>
  Object.fromEntries(Object.entries(newBodyOf(values)).filter(([name]) => limitNames.includes(name)));

interface Props {
  readonly of: Member;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** What limits the keys that a member creates. */
export function LimitsModal({ of: member, opened, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const models = useModels();
  const form = useForm<KeyValues>({ mode: "uncontrolled", initialValues: startOf(member.key_limits) });
  const save = useMutation({
    mutationFn: (values: KeyValues) =>
      call(userPath(member.id), { method: "PATCH", body: { key_limits: limitsOf(values) } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["members"] });
      onClose();
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t("members.limits.title", { email: member.email })}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="md">
          <MultiSelect
            label={t("keys.form.models")}
            description={t("keys.form.modelsHint")}
            data={[...new Set([...(models.data ?? []).map(({ id }) => id), ...(member.key_limits.models ?? [])])]}
            searchable
            clearable
            hidePickedOptions
            limit={100}
            {...form.getInputProps("models")}
          />
          <LimitFields form={form} hint={t("members.limits.about")} account={member.account_id ?? undefined} />
          <Actions of={save} onCancel={onClose}>
            {t("common.save")}
          </Actions>
        </Stack>
      </form>
    </Modal>
  );
}
