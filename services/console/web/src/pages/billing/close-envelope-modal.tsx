import { Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Envelope } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { envelopePath } from "./envelopes.ts";

interface Props {
  readonly of: Envelope;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks before an envelope and those within it are closed. */
export function CloseEnvelopeModal({ of: { id, name }, opened, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const close = useMutation({
    mutationFn: () => call(`${envelopePath(id)}/close`, { method: "POST" }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["billing"] });
      notifications.show({ message: t("envelopes.close.done"), color: "teal" });
      onClose();
    },
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("envelopes.close.title", { name: name || t("envelopes.unnamed") })}
    >
      <Stack gap="md">
        <Text size="sm">{t("envelopes.close.about")}</Text>
        <Actions of={close} onCancel={onClose} color="red" onClick={() => close.mutate()}>
          {t("envelopes.close.button")}
        </Actions>
      </Stack>
    </Modal>
  );
}
