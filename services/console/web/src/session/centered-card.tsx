import { Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { LanguageButtons } from "../shell/language-buttons.tsx";
import { Logo } from "../shell/logo.tsx";
import { SchemeButton } from "../shell/scheme-button.tsx";

/** The frame of the pages before the sign-in. */
export function CenteredCard({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="space-between">
          <Logo />
          <Group gap={4}>
            <LanguageButtons />
            <SchemeButton />
          </Group>
        </Group>
        <Paper withBorder p="xl" bg="var(--app-surface)">
          <Title order={1} size="h2">
            {title}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" size="sm" mt={4}>
              {about}
            </Text>
          )}
          {children}
        </Paper>
      </Stack>
    </Center>
  );
}
