import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconBook2, IconLogout, IconUser, IconUserCircle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { forget } from "../session/session.ts";
import { useUser } from "../session/use-session.ts";

export function UserMenu() {
  const { t } = useTranslation();
  const user = useUser();
  const client = useQueryClient();
  const router = useRouter();
  const signOut = useMutation({
    mutationFn: () => call("/session", { method: "DELETE" }),
    onSuccess: async () => {
      await router.navigate({ to: "/sign-in" });
      forget(client);
    },
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          radius="xl"
          aria-label={t("shell.user", { name: user.name })}
        >
          <IconUserCircle size={22} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" c="var(--mantine-color-text)" fw={500} truncate>
            {user.name || user.email}
          </Text>
          <Text size="xs" truncate>
            {user.email} · {t(`roles.${user.role}`)}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/profile" leftSection={<IconUser size={16} />}>
          {t("nav.settings")}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank" leftSection={<IconBook2 size={16} />}>
          {t("shell.reference")}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
