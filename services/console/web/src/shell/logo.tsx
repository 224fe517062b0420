import { Group, Text } from "@mantine/core";

export function Logo() {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src="/console/icon.svg" alt="" width={26} height={26} />
      <Text fw={600} style={{ whiteSpace: "nowrap" }}>
        AI Gateway
      </Text>
    </Group>
  );
}
