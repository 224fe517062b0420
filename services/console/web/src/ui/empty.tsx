import { Center, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface Props {
  readonly icon: Icon;
  readonly title: string;
  readonly hint: ReactNode;
  readonly action?: ReactNode;
}

/** The placeholder of an empty page or list, with the reason and the next step. */
export function Empty({ icon: Shape, title, hint, action }: Props) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={440}>
        <ThemeIcon variant="light" color="gray" size={48} radius="xl" mb={4}>
          <Shape size={24} stroke={1.6} />
        </ThemeIcon>
        <Title order={2} size="h3" ta="center">
          {title}
        </Title>
        <Text c="dimmed" size="sm" ta="center" component="div">
          {hint}
        </Text>
        {action}
      </Stack>
    </Center>
  );
}
