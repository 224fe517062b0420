import { Modal, MultiSelect, NumberInput, SimpleGrid, Stack, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { catalogQuery } from "../../api/provider-health.ts";
import type { CatalogModel } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { StrategySelect, strategies } from "../../ui/strategy-select.tsx";
import { isChatModel } from "../models/capabilities.ts";
import { modelPath } from "./providers.ts";
import { useChange } from "./use-change.ts";

const maxAliases = 20;
const maxFallbacks = 4;

/** A limit that is entered; undefined when it is as before. */
const changed = (entered: number | string, before: number | undefined): number | undefined =>
  entered === "" || Number(entered) === before ? undefined : Number(entered);

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();

interface FallbackProps {
  readonly of: CatalogModel;
  readonly value: string[];
  readonly onChange: (ids: string[]) => void;
}

/** The models that respond in a model's place, in the order in which they are chosen. */
function Fallbacks({ of: model, value, onChange }: FallbackProps) {
  const { t } = useTranslation();
  const { data: catalog = [] } = useQuery(catalogQuery);
  const able = catalog.filter((each) => each.id !== model.id && isChatModel(each)).map(({ id }) => id);
  return (
    <MultiSelect
      label={t("providers.edit.fallbacks")}
      description={t("providers.edit.fallbacksAbout")}
      data={[...new Set([...able, ...value])]}
      value={value}
      onChange={onChange}
      maxValues={maxFallbacks}
      searchable
      clearable
      hidePickedOptions
      limit={100}
    />
  );
}

interface Props {
  readonly of: CatalogModel;
  readonly onClose: () => void;
}

function EditModelForm({ of: model, onClose }: Props) {
  const { t } = useTranslation();
  const [aliases, setAliases] = useState<string[]>(model.aliases ?? []);
  const [context, setContext] = useState<number | string>(model.context_tokens ?? "");
  const [maxOutput, setMaxOutput] = useState<number | string>(model.max_output_tokens ?? "");
  const [strategy, setStrategy] = useState<string>(model.strategy);
  const [fallbacks, setFallbacks] = useState<string[]>(model.fallbacks);
  const save = useChange(onClose);
  const routing = {
    ...(strategy !== model.strategy && { strategy: strategies.find((each) => each === strategy) }),
    ...(!isSame(fallbacks, model.fallbacks) && { fallbacks }),
  };
  const limits = {
    context_tokens: changed(context, model.context_tokens),
    max_output_tokens: changed(maxOutput, model.max_output_tokens),
  };
  const limit = (label: string, value: number | string, set: (value: number | string) => void) => (
    <NumberInput label={label} min={1} allowDecimal={false} thousandSeparator="," value={value} onChange={set} />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({
          path: modelPath(model.id),
          method: "PATCH",
          body: { revision: model.revision, aliases, ...limits, ...routing },
          done: t("common.saved"),
        });
      }}
    >
      <Stack gap="md">
        <TagsInput
          label={t("providers.edit.aliases")}
          description={t("providers.edit.aliasesAbout")}
          value={aliases}
          onChange={setAliases}
          maxTags={maxAliases}
          clearable
        />
        {model.context_tokens !== undefined && (
          <SimpleGrid cols={2} spacing="sm">
            {limit(t("providers.models.context"), context, setContext)}
            {limit(t("providers.models.maxOutput"), maxOutput, setMaxOutput)}
          </SimpleGrid>
        )}
        {model.providers.length > 1 && (
          <StrategySelect value={strategy} onChange={(chosen) => setStrategy(chosen ?? strategy)} />
        )}
        {isChatModel(model) && <Fallbacks of={model} value={fallbacks} onChange={setFallbacks} />}
        <Actions of={save} onCancel={onClose}>
          {t("common.save")}
        </Actions>
      </Stack>
    </form>
  );
}

/** Changes a model's other names, its limits and its routing. */
export function EditModelModal({
  of: model,
  onClose,
}: {
  readonly of: CatalogModel | undefined;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Modal opened={model !== undefined} onClose={onClose} title={t("providers.edit.title", { model: model?.id ?? "" })}>
      {model !== undefined && <EditModelForm key={model.id} of={model} onClose={onClose} />}
    </Modal>
  );
}
