import { Modal, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Actions } from "../../ui/actions.tsx";
import { useChange } from "./use-change.ts";

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What the deletion means. */
  readonly about: string;
  /** What is deleted. */
  readonly path: string;
  /** Shown once it is deleted. */
  readonly done: string;
  readonly onDeleted?: () => void;
}

/** Asks before something of a provider is deleted. */
export function DeleteModal({ opened, onClose, title, about, path, done, onDeleted }: Props) {
  const { t } = useTranslation();
  const remove = useChange(() => {
    onClose();
    onDeleted?.();
  });
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{about}</Text>
        <Actions
          of={remove}
          onCancel={onClose}
          color="red"
          onClick={() => remove.mutate({ path, method: "DELETE", done })}
        >
          {t("common.delete")}
        </Actions>
      </Stack>
    </Modal>
  );
}
