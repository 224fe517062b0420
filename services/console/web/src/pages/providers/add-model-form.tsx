import { NumberInput, Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { catalogQuery } from "../../api/provider-health.ts";
import type { Provider } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { type ModelValues, modelBody, noModel } from "./providers.ts";
import { useChange } from "./use-change.ts";

interface Props {
  readonly of: Provider;
  readonly onDone: () => void;
}

type Amount = "context" | "maxOutput" | "inputUsd" | "outputUsd";

/** Adds a model of a provider: like one of the catalogue, or with limits and a price of its own. */
export function AddModelForm({ of: provider, onDone }: Props) {
  const { t } = useTranslation();
  const catalog = useQuery(catalogQuery);
  const [values, setValues] = useState<ModelValues>(noModel);
  const set = (change: Partial<ModelValues>): void => setValues((before) => ({ ...before, ...change }));
  const add = useChange(onDone);
  const body = modelBody(provider.id, values);
  const isOwn = values.like === "";
  const amount = (name: Amount, decimals: number) => (
    <NumberInput
      label={t(`providers.models.${name}`)}
      min={0}
      decimalScale={decimals}
      allowNegative={false}
      thousandSeparator=","
      value={values[name]}
      onChange={(value) => set({ [name]: value })}
      required
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate({
          path: "/admin/v1/models",
          method: "POST",
          body,
          done: t("providers.models.added", { model: body.id }),
        });
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={t("providers.models.upstream")}
          description={t("providers.models.upstreamAbout")}
          value={values.upstream}
          onChange={({ currentTarget }) => set({ upstream: currentTarget.value })}
          maxLength={200}
          required
        />
        <TextInput
          label={t("providers.models.id")}
          description={t("providers.models.idAbout")}
          placeholder={body.id}
          value={values.id}
          onChange={({ currentTarget }) => set({ id: currentTarget.value })}
          maxLength={200}
        />
        <Select
          label={t("providers.models.like")}
          description={t("providers.models.likeAbout")}
          data={[
            { value: "", label: t("providers.models.own") },
            ...(catalog.data ?? []).map(({ id }) => ({ value: id, label: id })),
          ]}
          value={values.like}
          onChange={(like) => set({ like: like ?? "" })}
          allowDeselect={false}
          searchable
          limit={100}
        />
        {isOwn && (
          <SimpleGrid cols={2} spacing="sm">
            {amount("context", 0)}
            {amount("maxOutput", 0)}
            {amount("inputUsd", 9)}
            {amount("outputUsd", 9)}
          </SimpleGrid>
        )}
        <Actions of={add} onCancel={onDone} disabled={values.upstream.trim() === ""}>
          {t("providers.models.add")}
        </Actions>
      </Stack>
    </form>
  );
}
