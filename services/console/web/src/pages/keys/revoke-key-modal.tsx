import { Alert, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Key } from "../../api/types.ts";
import { relativeText } from "../../format/time.ts";
import { Actions } from "../../ui/actions.tsx";
import { keyPath, refreshKeys } from "./keys.ts";

/** What a revocation will break. */
function Consequence({ of: key }: { readonly of: Key }) {
  const { t } = useTranslation();
  const { last_used_at: lastUsedAt, requests_last_hour: count } = key;
  if (lastUsedAt === null) return <Text size="sm">{t("keys.revoke.never")}</Text>;
  if (count === null || count === 0) return <Text size="sm">{t("keys.revoke.unused")}</Text>;
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
      {t("keys.revoke.used", { when: relativeText(lastUsedAt), count })}
    </Alert>
  );
}

interface Props {
  readonly of: Key;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function RevokeKeyModal({ of: key, opened, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => call(keyPath(key.id), { method: "DELETE" }),
    onSuccess: async () => {
      await refreshKeys(client);
      notifications.show({ message: t("keys.revoke.done"), color: "teal" });
      onClose();
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t("keys.revoke.title", { name: key.key_alias || key.hint })}>
      <Stack gap="md">
        <Text size="sm">{t("keys.revoke.about")}</Text>
        {opened && <Consequence of={key} />}
        <Actions of={revoke} onCancel={onClose} color="red" onClick={() => revoke.mutate()}>
          {t("keys.revoke.submit")}
        </Actions>
      </Stack>
    </Modal>
  );
}
