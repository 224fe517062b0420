import { Container } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Failure } from "./failure.tsx";

/** What stands in place of a page that cannot be shown. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <Container size="sm" py="xl">
      <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
    </Container>
  );
}
