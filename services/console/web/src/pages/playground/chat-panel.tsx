import { Button, Group, MultiSelect, NumberInput, SimpleGrid, Stack, Textarea } from "@mantine/core";
import { IconEraser, IconMessages, IconPlayerStop, IconSend2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { modelsQuery } from "../../api/models.ts";
import { Empty } from "../../ui/empty.tsx";
import { Panel } from "../../ui/panel.tsx";
import { capabilitiesOf } from "../models/prices.ts";
import { AsCode } from "./as-code.tsx";
import { ChatTurn } from "./chat-turn.tsx";
import { chatBody, type Settings, useChat } from "./use-chat.ts";

const route = getRouteApi("/app/playground");
const mostModels = 4;
const usualModel = "gpt-4o-mini";

interface SettingsProps {
  readonly models: string[];
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

function ChatSettings({ models, settings, onChange }: SettingsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/playground" });
  const { data = [] } = useQuery(modelsQuery);
  const chat = useMemo(() => data.filter((model) => capabilitiesOf(model).includes("chat")), [data]);
  const asNumber = (value: string | number): number | "" => (typeof value === "number" ? value : "");
  return (
    <Stack gap="sm">
      <MultiSelect
        label={t("playground.models")}
        description={t("playground.modelsHint")}
        data={chat.map(({ id, display_name }) => ({ value: id, label: display_name }))}
        value={models}
        onChange={(ids) =>
          void navigate({ search: (before) => ({ ...before, models: ids.join(",") || undefined }), replace: true })
        }
        maxValues={mostModels}
        searchable
        hidePickedOptions
        limit={100}
      />
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
    </Stack>
  );
}

interface ComposerProps {
  readonly busy: boolean;
  readonly onSay: (message: string) => void;
  readonly onStop: () => void;
  readonly onClear: (() => void) | undefined;
  readonly bodyOf: (message: string) => object;
}

function Composer({ busy, onSay, onStop, onClear, bodyOf }: ComposerProps) {
  const { t } = useTranslation();
  const [message, setMessage] = useState("");
  const submit = (): void => {
    if (message.trim() === "" || busy) return;
    onSay(message);
    setMessage("");
  };
  // Enter ends a word that is being put together with an input method; it does not send it.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <Stack gap="sm">
      <Textarea
        aria-label={t("playground.message")}
        placeholder={t("playground.message")}
        autosize
        minRows={2}
        maxRows={10}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group justify="space-between">
        <Group gap="xs">
          <AsCode path="/v1/chat/completions" body={bodyOf(message || "Hello!")} />
          {onClear !== undefined && (
            <Button variant="subtle" color="gray" leftSection={<IconEraser size={16} />} onClick={onClear}>
              {t("playground.clear")}
            </Button>
          )}
        </Group>
        {busy ? (
          <Button color="red" variant="light" leftSection={<IconPlayerStop size={16} />} onClick={onStop}>
            {t("playground.stop")}
          </Button>
        ) : (
          <Button leftSection={<IconSend2 size={16} />} onClick={submit}>
            {t("playground.send")}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** A conversation with one model or several side by side. */
export function ChatPanel() {
  const { t } = useTranslation();
  const { models: named = usualModel } = route.useSearch();
  const models = useMemo(() => named.split(",").slice(0, mostModels), [named]);
  const [settings, setSettings] = useState<Settings>({ system: "", temperature: "", maxTokens: "" });
  const { turns, say, stop, clear, busy } = useChat(models, settings);
  return (
    <Group align="stretch" gap="md">
      <Panel style={{ flex: "1 1 16rem", alignSelf: "flex-start" }}>
        <ChatSettings models={models} settings={settings} onChange={setSettings} />
      </Panel>
      <Panel style={{ flex: "999 1 30rem", minWidth: 0 }}>
        <Stack gap="md" mih={420} justify="space-between">
          {turns.length === 0 ? (
            <Empty icon={IconMessages} title={t("playground.start")} hint={t("playground.startHint")} />
          ) : (
            <Stack gap="lg">
              {turns.map((turn) => (
                <ChatTurn key={turn.id} of={turn} />
              ))}
            </Stack>
          )}
          <Composer
            busy={busy}
            onSay={say}
            onStop={stop}
            onClear={turns.length > 0 ? clear : undefined}
            bodyOf={(message) => chatBody(models[0] ?? usualModel, turns, message, settings)}
          />
        </Stack>
      </Panel>
    </Group>
  );
}
