import { Flex, Group, Stack } from "@mantine/core";
import { IconMessages } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "../../ui/empty.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ChatActions } from "./chat-actions.tsx";
import { ChatSettings, maxModels } from "./chat-settings.tsx";
import { ChatTurn } from "./chat-turn.tsx";
import { Composer } from "./composer.tsx";
import { chatBody, defaultSettings } from "./conversation.ts";
import { type Chat, useHistory } from "./history.ts";
import { useChat } from "./use-chat.ts";

const route = getRouteApi("/app/playground");
const usualModel = "gpt-4o-mini";

/** A conversation with one model or several side by side, which this browser keeps. */
export function ChatPanel() {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/playground" });
  const history = useHistory();
  const [first] = useState(history.open);
  const { models: named = first?.models.join(",") ?? usualModel } = route.useSearch();
  const models = useMemo(() => named.split(",").slice(0, maxModels), [named]);
  const [settings, setSettings] = useState({ ...defaultSettings, ...first?.settings });
  const { turns, send, retry, stop, show, busy } = useChat(models, settings, first?.turns ?? []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a conversation is kept when a turn ends
  useEffect(() => {
    const id = turns[0]?.id;
    if (id !== undefined && !busy) history.keep({ id, models, settings, turns });
  }, [turns, busy]);
  const open = (chat: Chat): void => {
    show(chat.turns);
    setSettings({ ...defaultSettings, ...chat.settings });
    void navigate({ search: (before) => ({ ...before, models: chat.models.join(",") }), replace: true });
  };
  const begin = (): void => {
    show([]);
    history.leave();
  };
  const clear = (): void => {
    show([]);
    history.clear();
  };
  return (
    <Flex align="stretch" gap="md" wrap="wrap" direction={{ base: "column-reverse", sm: "row" }}>
      <Panel style={{ flex: "1 1 18rem", alignSelf: "stretch", height: "fit-content" }}>
        <ChatSettings models={models} settings={settings} onChange={setSettings} />
      </Panel>
      <Panel style={{ flex: "999 1 30rem", minWidth: 0 }}>
        <Stack gap="md" mih={{ base: 0, sm: 420 }} h="100%" justify="space-between">
          <Stack gap="lg">
            {(turns.length > 0 || history.chats.length > 0) && (
              <Group justify="flex-end">
                <ChatActions
                  turns={turns}
                  busy={busy}
                  chats={history.chats}
                  onOpen={open}
                  onRetry={retry}
                  onNew={begin}
                  onClear={clear}
                />
              </Group>
            )}
            {turns.length === 0 && (
              <Empty icon={IconMessages} title={t("playground.start")} hint={t("playground.startHint")} />
            )}
            {turns.map((turn) => (
              <ChatTurn key={turn.id} of={turn} />
            ))}
          </Stack>
          <Composer
            busy={busy}
            onSend={send}
            onStop={stop}
            bodyOf={(message) => chatBody(models[0] ?? usualModel, turns, message, settings)}
          />
        </Stack>
      </Panel>
    </Flex>
  );
}
