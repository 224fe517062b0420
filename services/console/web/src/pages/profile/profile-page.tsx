import { Badge, Button, Group, SimpleGrid, Skeleton, Stack, Table, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Page as Listing } from "../../api/types.ts";
import { sessionQuery } from "../../session/session.ts";
import { useUser } from "../../session/use-session.ts";
import { TwoFactorPanel } from "../../two-factor/two-factor-panel.tsx";
import { Actions } from "../../ui/actions.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { Time } from "../../ui/time.tsx";

interface SignedIn {
  readonly id: string;
  readonly current: boolean;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly address: string;
  readonly user_agent: string;
}

function NameForm() {
  const { t } = useTranslation();
  const user = useUser();
  const client = useQueryClient();
  const form = useForm({ mode: "uncontrolled", initialValues: { name: user.name } });
  const save = useMutation({
    mutationFn: (body: { name: string }) => call("/user", { method: "PATCH", body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      notifications.show({ message: t("common.saved"), color: "teal" });
    },
  });
  return (
    <Panel>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <TextInput label={t("profile.name")} maxLength={200} key={form.key("name")} {...form.getInputProps("name")} />
          <Facts>
            <FactRow name={t("profile.email")}>{user.email}</FactRow>
            <FactRow name={t("profile.role")}>{t(`roles.${user.role}`)}</FactRow>
          </Facts>
          <Actions of={save}>{t("common.save")}</Actions>
        </Stack>
      </form>
    </Panel>
  );
}

function PasswordForm() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm({ mode: "uncontrolled", initialValues: { current: "", new: "" } });
  const change = useMutation({
    mutationFn: (body: { current: string; new: string }) => call("/password", { method: "POST", body }),
    meta: { signsIn: true },
    onSuccess: async () => {
      form.reset();
      notifications.show({ message: t("profile.changed"), color: "teal" });
      await client.invalidateQueries();
    },
  });
  return (
    <Panel title={t("profile.password")}>
      <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
        <Stack>
          <PasswordInput
            label={t("profile.current")}
            autoComplete="current-password"
            required
            key={form.key("current")}
            {...form.getInputProps("current")}
          />
          <PasswordInput
            label={t("profile.new")}
            autoComplete="new-password"
            required
            key={form.key("new")}
            {...form.getInputProps("new")}
          />
          <Actions of={change} variant="default">
            {t("profile.change")}
          </Actions>
        </Stack>
      </form>
    </Panel>
  );
}

/** "Chromium on Linux" out of what a browser says of itself; the rest is noise. */
function browserOf(agent: string): string | undefined {
  const name = /(Edg|Firefox|Chrome|Safari|curl)[/ ]/.exec(agent)?.[1]?.replace("Edg", "Edge");
  const system = /(Windows|Mac OS X|Android|iPhone|Linux)/.exec(agent)?.[1];
  return name && [name, system].filter((part) => part !== undefined).join(" · ");
}

function Sessions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["sessions"],
    queryFn: () => call<Listing<SignedIn>>("/sessions"),
  });
  const end = useMutation({
    mutationFn: (id: string) => call(`/sessions/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["sessions"] }),
  });
  const failure = error ?? end.error;
  return (
    <Panel title={t("profile.sessions")}>
      {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
      {data === undefined && failure === null && <Skeleton h={80} />}
      <Table fz="sm" horizontalSpacing={0}>
        <Table.Tbody>
          {data?.data.map(({ id, current, last_seen_at, address, user_agent }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Group gap="xs">
                  {browserOf(user_agent) ?? t("profile.unknownBrowser")}
                  {current && (
                    <Badge variant="default" size="sm" tt="none">
                      {t("profile.this")}
                    </Badge>
                  )}
                </Group>
                <Text size="xs" c="dimmed">
                  {t("profile.from", { address })} · {t("profile.seen")} <Time at={last_seen_at} as="relative" />
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                {!current && (
                  <Button size="compact-xs" variant="subtle" color="red" onClick={() => end.mutate(id)}>
                    {t("profile.end")}
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

export function ProfilePage() {
  const { t } = useTranslation();
  return (
    <Page title={t("profile.title")} about={t("profile.about")}>
      <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: "start" }}>
        <Stack>
          <NameForm />
          <PasswordForm />
        </Stack>
        <Stack>
          <TwoFactorPanel />
          <Sessions />
        </Stack>
      </SimpleGrid>
    </Page>
  );
}
