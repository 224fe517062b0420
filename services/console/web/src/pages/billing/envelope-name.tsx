import { Box, Group, Text } from "@mantine/core";
import { IconCornerDownRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Placed } from "./envelopes.ts";

/** Pixels of the sign before a nested envelope, with its gap. */
const indent = 20;

/** Where the name of an envelope begins, pixels. */
export const inset = (depth: number): number => depth * indent;

interface Props {
  readonly of: Placed<{ readonly name: string }>;
  /** Below the name. */
  readonly children?: ReactNode;
}

/** The name of an envelope in a tree, indented below the one that it is within. */
export function EnvelopeName({ of: { of: envelope, depth }, children }: Props) {
  const { t } = useTranslation();
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" pl={inset(Math.max(0, depth - 1))}>
      {depth > 0 && (
        <Box c="dimmed" lh={1} mt={3} style={{ flex: "none" }}>
          <IconCornerDownRight size={14} aria-hidden />
        </Box>
      )}
      <Box>
        <Text size="sm" fw={depth === 0 ? 500 : 400} style={{ overflowWrap: "anywhere" }}>
          {envelope.name || t("envelopes.unnamed")}
        </Text>
        {children}
      </Box>
    </Group>
  );
}
