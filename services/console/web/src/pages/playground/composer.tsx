import { Button, Group, Stack, Textarea } from "@mantine/core";
import { IconPlayerStop, IconSend2 } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { AsCode } from "./as-code.tsx";
import type { CodeOf } from "./code.ts";
import type { UserMessage } from "./conversation.ts";
import { AddPictures, Thumbnails } from "./pictures.tsx";

interface Props {
  readonly busy: boolean;
  readonly onSend: (message: UserMessage) => void;
  readonly onStop: () => void;
  readonly bodyOf: (message: UserMessage) => CodeOf["body"];
}

const empty: UserMessage = { text: "", images: [] };

/** Where the next message is written. */
export function Composer({ busy, onSend, onStop, bodyOf }: Props) {
  const { t } = useTranslation();
  const [message, setMessage] = useState(empty);
  const submit = (): void => {
    if (message.text.trim() === "" || busy) return;
    onSend(message);
    setMessage(empty);
  };
  // Enter ends a word that is being put together with an input method; it does not send it.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const setImages = (images: readonly string[]): void => setMessage({ ...message, images });
  return (
    <Stack gap="sm">
      <Thumbnails urls={message.images} onChange={setImages} />
      <Textarea
        aria-label={t("playground.message")}
        placeholder={t("playground.message")}
        autosize
        minRows={2}
        maxRows={10}
        value={message.text}
        onChange={(event) => setMessage({ ...message, text: event.currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <AddPictures urls={message.images} onChange={setImages} />
          <AsCode path="/v1/chat/completions" body={bodyOf({ ...message, text: message.text || "Hello!" })} />
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
