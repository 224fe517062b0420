import { notifications } from "@mantine/notifications";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import { catalogQuery } from "../../api/provider-health.ts";

interface Change {
  readonly path: string;
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly body?: object;
  /** Shown once it is made. */
  readonly done: string;
}

/** Reads everything again that depends on the providers and their models. */
export const refreshProviders = (client: QueryClient): Promise<unknown> =>
  Promise.all(
    // The session names the simulated providers; a provider's change may add or remove models.
    [["providers"], ["session"], ["models"], catalogQuery.queryKey].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  );

/** Changes a provider or a model, and reads both again, also after a refusal: another may have changed it. */
export function useChange(onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ path, method, body }: Change) => call(path, { method, ...(body !== undefined && { body }) }),
    onSuccess: (_, { done }) => {
      notifications.show({ message: done, color: "teal" });
      onDone?.();
    },
    onSettled: () => refreshProviders(client),
  });
}
