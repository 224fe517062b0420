import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** What is known of a thing: rows of names and values. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <Table variant="vertical" layout="fixed" fz="sm" verticalSpacing="xs" horizontalSpacing={0}>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}

export function FactRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w="38%" fw={400} c="dimmed" bg="transparent" scope="row" style={{ verticalAlign: "top" }}>
        {name}
      </Table.Th>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{children}</Table.Td>
    </Table.Tr>
  );
}
