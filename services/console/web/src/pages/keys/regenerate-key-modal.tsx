import { Modal, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Key, NewKey } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { keyPath, refreshKeys } from "./keys.ts";

const overlaps = { none: 0, hour: 3_600, day: 86_400, week: 604_800 } as const;
type Overlap = keyof typeof overlaps;

interface Props {
  readonly of: Key;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (key: NewKey) => void;
}

export function RegenerateKeyModal({ of: key, opened, onClose, onMade }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>("day");
  const regenerate = useMutation({
    mutationFn: () =>
      call<NewKey>(`${keyPath(key.id)}/regenerate`, { method: "POST", body: { overlap_seconds: overlaps[overlap] } }),
    onSuccess: async (made) => {
      onClose();
      onMade(made);
      await refreshKeys(client);
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t("keys.regenerate.title")}>
      <Stack gap="md">
        <Text size="sm">{t("keys.regenerate.about")}</Text>
        <Select
          label={t("keys.regenerate.overlap")}
          data={Object.keys(overlaps).map((name) => ({ value: name, label: t(`keys.regenerate.${name as Overlap}`) }))}
          value={overlap}
          onChange={(value) => setOverlap((value ?? "day") as Overlap)}
          allowDeselect={false}
        />
        <Actions of={regenerate} onCancel={onClose} onClick={() => regenerate.mutate()} data-autofocus>
          {t("keys.regenerate.submit")}
        </Actions>
      </Stack>
    </Modal>
  );
}
