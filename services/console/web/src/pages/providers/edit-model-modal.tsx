import { Modal, NumberInput, SimpleGrid, Stack, TagsInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CatalogModel } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { modelPath } from "./providers.ts";
import { useChange } from "./use-change.ts";

const maxAliases = 20;

/** A limit that is entered; undefined when it is as before. */
const changed = (entered: number | string, before: number | undefined): number | undefined =>
  entered === "" || Number(entered) === before ? undefined : Number(entered);

interface Props {
  readonly of: CatalogModel;
  readonly onClose: () => void;
}

function EditModelForm({ of: model, onClose }: Props) {
  const { t } = useTranslation();
  const [aliases, setAliases] = useState<string[]>(model.aliases ?? []);
  const [context, setContext] = useState<number | string>(model.context_tokens ?? "");
  const [maxOutput, setMaxOutput] = useState<number | string>(model.max_output_tokens ?? "");
  const save = useChange(onClose);
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
          body: { revision: model.revision, aliases, ...limits },
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
        <Actions of={save} onCancel={onClose}>
          {t("common.save")}
        </Actions>
      </Stack>
    </form>
  );
}

/** Changes a model's other names and its limits. */
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
