import { Group, Select, Stack } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import type { Model } from "../../api/types.ts";
import { Panel } from "../../ui/panel.tsx";

/** The models that are served on an operation, and the one that is chosen. */
export function useModelOf(operation: string) {
  const { data = [] } = useModels();
  const [id, choose] = useState<string>();
  const models = useMemo(() => data.filter(({ operations }) => operations.includes(operation)), [data, operation]);
  const model = models.find((one) => one.id === id) ?? models[0];
  return { models, model, choose };
}

interface ModelSelectProps {
  readonly models: readonly Model[];
  readonly model: Model | undefined;
  readonly choose: (id: string) => void;
}

export function ModelSelect({ models, model, choose }: ModelSelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={t("playground.model")}
      data={models.map(({ id, display_name }) => ({ value: id, label: display_name }))}
      value={model?.id ?? null}
      onChange={(id) => id !== null && choose(id)}
      allowDeselect={false}
      searchable
      limit={100}
    />
  );
}

/** What is asked on one side, what comes of it on the other. */
export function Workbench({ form, result }: { readonly form: ReactNode; readonly result: ReactNode }) {
  return (
    <Group align="stretch" gap="md">
      <Panel style={{ flex: "1 1 20rem", alignSelf: "flex-start" }}>
        <Stack gap="sm">{form}</Stack>
      </Panel>
      <Panel mih={320} style={{ flex: "2 1 26rem", minWidth: 0 }}>
        {result}
      </Panel>
    </Group>
  );
}
