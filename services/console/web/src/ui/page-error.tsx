import { Container } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { NotForRoleError } from "../session/readers.ts";
import { Failure } from "./failure.tsx";
import { NotForRole } from "./not-found.tsx";

/** Shown instead of a page that failed to load. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  if (error instanceof NotForRoleError) return <NotForRole />;
  return (
    <Container size="sm" py="xl">
      <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
    </Container>
  );
}
