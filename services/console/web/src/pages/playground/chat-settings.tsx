import { Button, JsonInput, MultiSelect, NumberInput, Select, SimpleGrid, Stack, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import { isChatModel } from "../models/capabilities.ts";
import { objectOf, type Settings, toolsOf } from "./conversation.ts";

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
  const chat = useMemo(() => data.filter(isChatModel), [data]);
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

interface FieldProps {
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

interface NumberField {
  readonly name: "temperature" | "maxTokens" | "topP" | "seed" | "candidates";
  readonly placeholder: string;
  readonly min: number;
  readonly max?: number;
  readonly step?: number;
}

function NumberFields({ of: fields, settings, onChange }: FieldProps & { readonly of: readonly NumberField[] }) {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={2}>
      {fields.map(({ name, step = 1, ...bounds }) => (
        <NumberInput
          key={name}
          label={t(`playground.${name}`)}
          {...bounds}
          step={step}
          allowDecimal={step < 1}
          decimalScale={2}
          value={settings[name]}
          onChange={(value) => onChange({ ...settings, [name]: typeof value === "number" ? value : "" })}
        />
      ))}
    </SimpleGrid>
  );
}

interface JsonField {
  readonly name: "tools" | "schema" | "others";
  readonly placeholder: string;
  readonly isRight: (text: string) => boolean;
}

function JsonFields({ of: fields, settings, onChange }: FieldProps & { readonly of: readonly JsonField[] }) {
  const { t } = useTranslation();
  return fields.map(({ name, placeholder, isRight }) => (
    <JsonInput
      key={name}
      label={t(`playground.${name}`)}
      description={t(`playground.${name}Hint`)}
      placeholder={placeholder}
      autosize
      minRows={2}
      maxRows={12}
      formatOnBlur
      error={settings[name].trim() !== "" && !isRight(settings[name]) && t(`playground.${name}Wrong`)}
      value={settings[name]}
      onChange={(text) => onChange({ ...settings, [name]: text })}
      styles={{ input: { fontSize: "var(--mantine-font-size-xs)" } }}
    />
  ));
}

/** The efforts that the chosen models offer; nothing if none of them reasons. */
function Effort({ models, settings, onChange }: Props) {
  const { t } = useTranslation();
  const { data = [] } = useModels();
  const efforts = [
    ...new Set(data.flatMap(({ id, reasoning }) => (models.includes(id) ? (reasoning?.efforts ?? []) : []))),
  ];
  if (efforts.length === 0) return null;
  return (
    <Select
      label={t("playground.effort")}
      placeholder={t("playground.usual")}
      data={efforts}
      value={efforts.includes(settings.effort) ? settings.effort : null}
      onChange={(effort) => onChange({ ...settings, effort: effort ?? "" })}
      clearable
    />
  );
}

const usual: readonly NumberField[] = [
  { name: "temperature", placeholder: "1", min: 0, max: 2, step: 0.1 },
  { name: "maxTokens", placeholder: "∞", min: 1 },
];
const seldom: readonly NumberField[] = [
  { name: "topP", placeholder: "1", min: 0, max: 1, step: 0.05 },
  { name: "candidates", placeholder: "1", min: 1, max: 8 },
  { name: "seed", placeholder: "—", min: 0 },
];
const isObject = (text: string): boolean => objectOf(text) !== undefined;
const tools: readonly JsonField[] = [
  { name: "tools", placeholder: sampleTools, isRight: (text) => toolsOf(text) !== undefined },
];
const objects: readonly JsonField[] = [
  { name: "schema", placeholder: '{ "type": "object", … }', isRight: isObject },
  { name: "others", placeholder: '{ "stop": ["END"] }', isRight: isObject },
];

/** Settings of every message: the models and their options. */
export function ChatSettings(props: Props) {
  const { t } = useTranslation();
  const { models, settings, onChange } = props;
  const [opened, more] = useDisclosure(false);
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
      <NumberFields of={usual} settings={settings} onChange={onChange} />
      <Effort {...props} />
      <JsonFields of={tools} settings={settings} onChange={onChange} />
      <Button
        variant="subtle"
        size="compact-sm"
        justify="flex-start"
        aria-expanded={opened}
        onClick={more.toggle}
        leftSection={opened ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
      >
        {t("playground.more")}
      </Button>
      {opened && (
        <>
          <NumberFields of={seldom} settings={settings} onChange={onChange} />
          <JsonFields of={objects} settings={settings} onChange={onChange} />
        </>
      )}
    </Stack>
  );
}
