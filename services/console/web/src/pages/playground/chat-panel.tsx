import { Group, Stack } from "@mantine/core";
import { IconMessages } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "../../ui/empty.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ChatSettings, maxModels } from "./chat-settings.tsx";
import { ChatTurn } from "./chat-turn.tsx";
import { Composer } from "./composer.tsx";
import { chatBody, type Settings } from "./conversation.ts";
import { useChat } from "./use-chat.ts";

const route = getRouteApi("/app/playground");
const usualModel = "gpt-4o-mini";

/** A conversation with one model or several side by side. */
export function ChatPanel() {
  const { t } = useTranslation();
  const { models: named = usualModel } = route.useSearch();
  const models = useMemo(() => named.split(",").slice(0, maxModels), [named]);
  const [settings, setSettings] = useState<Settings>({ system: "", temperature: "", maxTokens: "", tools: "" });
  const { turns, send, stop, clear, busy } = useChat(models, settings);
  return (
    <Group align="stretch" gap="md">
      <Panel style={{ flex: "1 1 18rem", alignSelf: "flex-start" }}>
        <ChatSettings models={models} settings={settings} onChange={setSettings} />
      </Panel>
      <Panel style={{ flex: "999 1 30rem", minWidth: 0 }}>
        <Stack gap="md" mih={420} h="100%" justify="space-between">
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
            onSend={send}
            onStop={stop}
            onClear={turns.length > 0 ? clear : undefined}
            bodyOf={(message) => chatBody(models[0] ?? usualModel, turns, message, settings)}
          />
        </Stack>
      </Panel>
    </Group>
  );
}
