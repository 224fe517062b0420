import { ActionIcon, Button, Group, Menu, Text, Tooltip } from "@mantine/core";
import { IconDownload, IconHistory, IconPlus, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { saveText } from "../../ui/save-text.ts";
import { Time } from "../../ui/time.tsx";
import { markdownOf, type Turn } from "./conversation.ts";
import type { Chat } from "./history.ts";

interface Props {
  readonly turns: readonly Turn[];
  readonly busy: boolean;
  readonly chats: readonly Chat[];
  readonly onOpen: (chat: Chat) => void;
  readonly onRetry: () => void;
  readonly onNew: () => void;
  readonly onClear: () => void;
}

function Action(props: { readonly label: string; readonly onClick: () => void; readonly children: ReactNode }) {
  const { label, onClick, children } = props;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function History({ chats, onOpen, onClear }: Pick<Props, "chats" | "onOpen" | "onClear">) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={320}>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconHistory size={16} />}>
          {t("playground.history")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: "auto" }}>
        <Menu.Label>{t("playground.historyAbout")}</Menu.Label>
        {chats.map((chat) => (
          <Menu.Item key={chat.id} onClick={() => onOpen(chat)}>
            <Text size="sm" truncate>
              {chat.turns[0]?.message.text}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              <Time at={new Date(chat.id).toISOString()} as="relative" /> · {chat.models.join(", ")}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={onClear}>
          {t("playground.deleteHistory")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What can be done with the conversation as a whole. */
export function ChatActions({ turns, busy, chats, onOpen, onRetry, onNew, onClear }: Props) {
  const { t } = useTranslation();
  const isOver = turns.length > 0 && !busy;
  return (
    <Group gap="xs">
      {isOver && (
        <>
          <Action label={t("playground.retry")} onClick={onRetry}>
            <IconRefresh size={16} />
          </Action>
          <Action
            label={t("common.download")}
            onClick={() => saveText("chat.md", markdownOf(turns, t("playground.you")), "text/markdown")}
          >
            <IconDownload size={16} />
          </Action>
        </>
      )}
      {chats.length > 0 && <History chats={chats} onOpen={onOpen} onClear={onClear} />}
      {turns.length > 0 && (
        <Button variant="default" size="xs" leftSection={<IconPlus size={16} />} onClick={onNew}>
          {t("playground.clear")}
        </Button>
      )}
    </Group>
  );
}
