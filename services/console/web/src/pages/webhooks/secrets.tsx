import { Alert, Button, Group, Modal, Skeleton, Stack, Table, Text, TextInput } from "@mantine/core";
import { IconPlus, IconShieldLock } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { NewWebhookSecret, Page, WebhookSecret } from "../../api/types.ts";
import { useMayChange } from "../../session/use-session.ts";
import { Copy } from "../../ui/copy.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";

const path = "/admin/v1/webhooks/secrets";

function SecretModal({ made, onClose }: { readonly made: NewWebhookSecret | undefined; readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal opened={made !== undefined} onClose={onClose} title={t("webhooks.made")} closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" icon={<IconShieldLock size={18} />}>
          {t("webhooks.once")}
        </Alert>
        <TextInput
          aria-label={t("webhooks.made")}
          value={made?.secret ?? ""}
          readOnly
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          rightSection={<Copy value={made?.secret ?? ""} />}
        />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t("common.done")}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Rows({
  of: secrets,
  onEnd,
}: {
  readonly of: readonly WebhookSecret[];
  readonly onEnd: ((id: string) => void) | undefined;
}) {
  const { t } = useTranslation();
  return (
    <Table fz="sm" horizontalSpacing={0}>
      <Table.Tbody>
        {secrets.map(({ id, hint, created_at, ends_at, created_by }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Text size="sm" ff="monospace">
                {hint}
              </Text>
              <Text size="xs" c="dimmed">
                <Time at={created_at} as="relative" />
                {created_by && ` · ${created_by.name}`}
                {ends_at !== null && (
                  <>
                    {` · ${t("webhooks.ends")} `}
                    <Time at={ends_at} as="relative" />
                  </>
                )}
              </Text>
            </Table.Td>
            <Table.Td ta="right">
              {onEnd !== undefined && (
                <Button size="compact-xs" variant="subtle" color="red" onClick={() => onEnd(id)}>
                  {t("webhooks.end")}
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** What signs an account's webhooks. */
export function Secrets({ account }: { readonly account: string }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const mayChange = useMayChange("webhooks");
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ["webhook-secrets"] });
  const { data, error, refetch } = useQuery({
    queryKey: ["webhook-secrets", account],
    queryFn: () => call<Page<WebhookSecret>>(path, { query: { account } }),
  });
  const create = useMutation({
    mutationFn: () => call<NewWebhookSecret>(path, { method: "POST", body: { account_id: account } }),
    onSuccess: refresh,
  });
  const end = useMutation({
    mutationFn: (id: string) => call(`${path}/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: refresh,
  });
  const failure = error ?? create.error ?? end.error;
  const action = mayChange && (
    <Button size="xs" leftSection={<IconPlus size={14} />} loading={create.isPending} onClick={() => create.mutate()}>
      {t("webhooks.create")}
    </Button>
  );
  return (
    <Panel title={t("webhooks.secrets")} action={action}>
      <Text size="xs" c="dimmed" mb="sm">
        {data?.data.length === 0 ? t("webhooks.noSecrets") : t("webhooks.secretsAbout")}
      </Text>
      {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
      {data === undefined && failure === null && <Skeleton h={40} />}
      {data !== undefined && <Rows of={data.data} onEnd={mayChange ? end.mutate : undefined} />}
      <SecretModal made={create.data} onClose={create.reset} />
    </Panel>
  );
}
