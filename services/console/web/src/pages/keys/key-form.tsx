import {
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import type { Key } from "../../api/types.ts";
import { Failure } from "../../ui/failure.tsx";
import { tagsOf } from "./keys.ts";

export interface KeyValues {
  key_alias: string;
  models: string[];
  /** A duration as the API takes it; empty for never, `keep` for what it is. */
  expires: string;
  rpm_limit: number | "";
  tpm_limit: number | "";
  max_parallel_requests: number | "";
  max_budget: number | string;
  tags: string[];
}

const nothing: KeyValues = {
  key_alias: "",
  models: [],
  expires: "",
  rpm_limit: "",
  tpm_limit: "",
  max_parallel_requests: "",
  max_budget: "",
  tags: [],
};

/** What the form begins with: a key as it is, or nothing. */
export function valuesOf(key?: Key): KeyValues {
  if (key === undefined) return nothing;
  return {
    key_alias: key.key_alias,
    models: key.models,
    expires: "keep",
    rpm_limit: key.rpm_limit ?? "",
    tpm_limit: key.tpm_limit ?? "",
    max_parallel_requests: key.max_parallel_requests ?? "",
    max_budget: key.max_budget ?? "",
    tags: tagsOf(key),
  };
}

const orNull = <T,>(value: T | ""): T | null => (value === "" ? null : value);

/** The body that makes or changes a key. What the metadata has beside the tags stays. */
export function bodyOf(values: KeyValues, metadata: Key["metadata"] = {}): object {
  const { tags: _, ...others } = metadata;
  return {
    key_alias: values.key_alias,
    models: values.models,
    ...(values.expires !== "keep" && { expires: orNull(values.expires) }),
    rpm_limit: orNull(values.rpm_limit),
    tpm_limit: orNull(values.tpm_limit),
    max_parallel_requests: orNull(values.max_parallel_requests),
    max_budget: values.max_budget === "" ? null : String(values.max_budget),
    metadata: values.tags.length === 0 ? others : { ...others, tags: values.tags },
  };
}

type Form = UseFormReturnType<KeyValues>;

function LimitFields({ form }: { readonly form: Form }) {
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
          {t("keys.form.limitsHint")}
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
    </Stack>
  );
}

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
  /** What stands above the fields. */
  readonly first?: ReactNode;
  readonly submit: string;
  readonly error: Error | null;
  readonly pending: boolean;
  readonly onSubmit: (values: KeyValues) => void;
  readonly onCancel: () => void;
}

/** What can be said of a key when it is made and when it is changed. */
export function KeyForm({ of: key, first, submit, error, pending, onSubmit, onCancel }: Props) {
  const { t } = useTranslation();
  const models = useModels();
  const form = useForm<KeyValues>({ mode: "uncontrolled", initialValues: valuesOf(key) });
  const expiries = useExpiryChoices(key);
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
        <LimitFields form={form} />
        <TagsInput
          label={t("keys.form.tags")}
          description={t("keys.form.tagsHint")}
          maxTags={20}
          {...form.getInputProps("tags")}
        />
        {error !== null && <Failure error={error} />}
        <Group justify="flex-end" mt="sm">
          <Button variant="default" onClick={onCancel}>
            {t("common.cancel")}
          </Button>
          <Button type="submit" loading={pending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
