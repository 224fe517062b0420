import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  /** The request as code. */
  readonly code: ReactNode;
  readonly run: { readonly mutate: () => void; readonly isPending: boolean };
  /** The request has all that it needs. */
  readonly ready: boolean;
  readonly children: ReactNode;
}

/** The end of a form: the request as code, and the button that sends it. */
export function RunRow({ code, run, ready, children }: Props) {
  return (
    <Group justify="space-between">
      {code}
      <Button onClick={() => run.mutate()} loading={run.isPending} disabled={!ready}>
        {children}
      </Button>
    </Group>
  );
}
