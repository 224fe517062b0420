import { Group, Paper, type PaperProps, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface Props extends PaperProps {
  readonly role?: string;
  readonly title?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A framed part of a page. */
export function Panel({ title, action, children, ...props }: Props) {
  return (
    <Paper withBorder p="md" bg="var(--app-surface)" {...props}>
      {title !== undefined && (
        <Group justify="space-between" mb="sm" gap="sm">
          <Title order={2} size="h3">
            {title}
          </Title>
          {action}
        </Group>
      )}
      {children}
    </Paper>
  );
}
