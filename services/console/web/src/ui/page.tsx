import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface Props {
  readonly title: string;
  readonly about?: ReactNode;
  /** The one thing that is done here most. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** What every page looks like: its title, a line about it, its action, its content. */
export function Page({ title, about, action, children }: Props) {
  useDocumentTitle(`${title} · AI Gateway`);
  return (
    <Stack gap="lg" maw={1280} mx="auto" w="100%">
      <Group justify="space-between" align="flex-start" gap="md">
        <Box style={{ flex: "1 1 16rem" }}>
          <Title order={1}>{title}</Title>
          {about !== undefined && (
            <Text c="dimmed" size="sm" mt={4} maw={640}>
              {about}
            </Text>
          )}
        </Box>
        {action !== undefined && <Group gap="sm">{action}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
