import { JsonInput, MultiSelect, NumberInput, SimpleGrid, Stack, Textarea } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import { capabilitiesOf } from "../models/prices.ts";
import { type Settings, toolsOf } from "./conversation.ts";

export const maxModels = 4;

const sampleTools = '[{ "type": "function", … }]';

interface Props {
  readonly models: string[];
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

function ModelsInput({ models }: { readonly models: string[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/playground" });
  const { data = [] } = useModels();
  const chat = useMemo(() => data.filter((model) => capabilitiesOf(model).includes("chat")), [data]);
  return (
    <MultiSelect
      label={t("playground.models")}
      description={t("playground.modelsHint")}
      data={chat.map(({ id, display_name }) => ({ value: id, label: display_name }))}
      value={models}
      onChange={(ids) =>
        void navigate({ search: (before) => ({ ...before, models: ids.join(",") || undefined }), replace: true })
      }
      maxValues={maxModels}
      searchable
      hidePickedOptions
      limit={100}
    />
  );
}

/** Settings of every message: the models and their options. */
export function ChatSettings({ models, settings, onChange }: Props) {
  const { t } = useTranslation();
  const asNumber = (value: string | number): number | "" => (typeof value === "number" ? value : "");
  const isWrong = settings.tools.trim() !== "" && toolsOf(settings.tools) === undefined;
  return (
    <Stack gap="sm">
      <ModelsInput models={models} />
      <Textarea
        label={t("playground.system")}
        autosize
        minRows={2}
        maxRows={8}
        value={settings.system}
        onChange={(event) => onChange({ ...settings, system: event.currentTarget.value })}
      />
      <SimpleGrid cols={2}>
        <NumberInput
          label={t("playground.temperature")}
          placeholder="1"
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          value={settings.temperature}
          onChange={(value) => onChange({ ...settings, temperature: asNumber(value) })}
        />
        <NumberInput
          label={t("playground.maxTokens")}
          placeholder="∞"
          min={1}
          allowDecimal={false}
          value={settings.maxTokens}
          onChange={(value) => onChange({ ...settings, maxTokens: asNumber(value) })}
        />
      </SimpleGrid>
      <JsonInput
        label={t("playground.tools")}
        description={t("playground.toolsHint")}
        placeholder={sampleTools}
        autosize
        minRows={2}
        maxRows={12}
        formatOnBlur
        error={isWrong && t("playground.toolsWrong")}
        value={settings.tools}
        onChange={(tools) => onChange({ ...settings, tools })}
        styles={{ input: { fontSize: "var(--mantine-font-size-xs)" } }}
      />
    </Stack>
  );
}
