import { Box, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** A figure with its name above it. */
export function Fact({
  name,
  children,
  hint,
}: {
  readonly name: string;
  readonly children: ReactNode;
  readonly hint?: ReactNode;
}) {
  return (
    <Box>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fz="xl" fw={600} className="tabular" component="div" lh={1.3}>
        {children}
      </Text>
      {hint !== undefined && (
        // Chinese breaks between any characters, such as a number and its unit.
        <Text size="xs" c="dimmed" component="div" style={{ wordBreak: "keep-all", overflowWrap: "anywhere" }}>
          {hint}
        </Text>
      )}
    </Box>
  );
}
