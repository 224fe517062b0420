import { MultiSelect, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import type { Key } from "../../api/types.ts";
import { useUser } from "../../session/use-session.ts";
import { Actions } from "../../ui/actions.tsx";
import { StrategySelect } from "../../ui/strategy-select.tsx";
import { type KeyValues, valuesOf } from "./key-values.ts";
import { LimitFields } from "./limit-fields.tsx";

function useExpiryChoices(key: Key | undefined) {
  const { t } = useTranslation();
  return [
    ...(key === undefined ? [] : [{ value: "keep", label: t("keys.form.expiresKeep") }]),
    { value: "", label: t("keys.never") },
    { value: "7d", label: t("keys.form.in7") },
    { value: "30d", label: t("keys.form.in30") },
    { value: "90d", label: t("keys.form.in90") },
    { value: "365d", label: t("keys.form.in365") },
  ];
}

interface Props {
  /** The key that is changed; undefined for a new one. */
  readonly of?: Key;
  /** Whose key it is; undefined while that is unknown. */
  readonly account: string | undefined;
  /** What stands above the fields. */
  readonly first?: ReactNode;
  readonly submit: string;
  readonly error: Error | null;
  readonly pending: boolean;
  readonly onSubmit: (values: KeyValues) => void;
  readonly onCancel: () => void;
}

/** The fields of a key that can be set when it is created or changed. */
export function KeyForm({ of: key, account, first, submit, error, pending, onSubmit, onCancel }: Props) {
  const { t } = useTranslation();
  const models = useModels();
  const form = useForm<KeyValues>({ mode: "uncontrolled", initialValues: valuesOf(key) });
  const expiries = useExpiryChoices(key);
  const { role } = useUser();
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <Stack gap="md">
        {first}
        <TextInput
          label={t("keys.form.name")}
          description={t("keys.form.nameHint")}
          maxLength={200}
          data-autofocus
          {...form.getInputProps("key_alias")}
        />
        <MultiSelect
          label={t("keys.form.models")}
          description={t("keys.form.modelsHint")}
          data={[...new Set([...(models.data ?? []).map(({ id }) => id), ...(key?.models ?? [])])]}
          searchable
          clearable
          hidePickedOptions
          limit={100}
          {...form.getInputProps("models")}
        />
        <Select
          label={t("keys.form.expires")}
          data={expiries}
          allowDeselect={false}
          {...form.getInputProps("expires")}
        />
        <LimitFields
          form={form}
          hint={t(role === "member" ? "keys.form.memberLimitsHint" : "keys.form.limitsHint")}
          account={role === "member" ? undefined : account}
        />
        {role === "operator" && (
          <StrategySelect
            first={[{ value: "", label: t("keys.strategies.model") }]}
            {...form.getInputProps("routing_strategy")}
          />
        )}
        <TagsInput
          label={t("keys.form.tags")}
          description={t("keys.form.tagsHint")}
          maxTags={20}
          {...form.getInputProps("tags")}
        />
        <Actions of={{ error, isPending: pending }} onCancel={onCancel}>
          {submit}
        </Actions>
      </Stack>
    </form>
  );
}
