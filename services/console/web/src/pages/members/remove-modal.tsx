import { Code, Group, Modal, Radio, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { Actions } from "../../ui/actions.tsx";
import { type LiveCredential, type Member, userPath } from "./members.ts";

const choices = ["revoke", "keep"] as const;

interface ChoiceProps {
  readonly of: readonly LiveCredential[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** What becomes of the keys and tokens that the person has created. */
function Choice({ of: credentials, value, onChange }: ChoiceProps) {
  const { t } = useTranslation();
  if (credentials.length === 0) return <Text size="sm">{t("members.leaving.nothing")}</Text>;
  return (
    <Radio.Group label={t("members.leaving.credentials", { count: credentials.length })} {...{ value, onChange }}>
      <Stack gap="xs" mt="xs">
        {credentials.map(({ id, kind, name, hint }) => (
          <Group key={id} gap="xs">
            <Text size="sm">{name || t("keys.unnamed")}</Text>
            <Code>{hint}</Code>
            <Text size="xs" c="dimmed">
              {t(`members.leaving.kinds.${kind}`)}
            </Text>
          </Group>
        ))}
        {choices.map((choice) => (
          <Radio key={choice} value={choice} label={t(`members.leaving.${choice}`)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

interface Props {
  readonly of: Member;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Removes a person, and says what becomes of what they have created. */
export function RemoveModal({ of: member, opened, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [choice, setChoice] = useState<string>("revoke");
  const left = useQuery({
    queryKey: ["members", "credentials", member.id],
    queryFn: () => call<{ readonly data: readonly LiveCredential[] }>(`${userPath(member.id)}/credentials`),
    enabled: opened,
  });
  const remove = useMutation({
    mutationFn: () => call(userPath(member.id), { method: "DELETE", query: { credentials: choice } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["members"] }),
  });
  const error = left.error ?? remove.error;
  return (
    <Modal opened={opened} onClose={onClose} title={t("members.leaving.title", { email: member.email })}>
      <Stack gap="md">
        <Text size="sm">{t("members.leaving.about")}</Text>
        {left.data === undefined && error === null && <Skeleton h={60} />}
        {left.data !== undefined && <Choice of={left.data.data} value={choice} onChange={setChoice} />}
        <Actions
          of={{ error, isPending: remove.isPending }}
          onCancel={onClose}
          color="red"
          disabled={left.data === undefined}
          onClick={() => remove.mutate()}
        >
          {t("members.remove")}
        </Actions>
      </Stack>
    </Modal>
  );
}
