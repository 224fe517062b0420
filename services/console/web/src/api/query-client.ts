import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./error.ts";

/** Errors that the user can fix, or that a retry would not change, are not retried. */
function mayRetry(failures: number, error: Error): boolean {
  const isOurs = error instanceof ApiError && error.status < 500 && error.status !== 429;
  return !isOurs && failures < 2;
}

/** @param onSessionEnd called when the session has ended */
export function createQueryClient(onSessionEnd: () => Promise<void>): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.status === 401) void onSessionEnd();
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (mutation.meta?.["signsIn"] !== true) onError(error);
      },
    }),
    defaultOptions: { queries: { retry: mayRetry, staleTime: 15_000 } },
  });
  return client;
}
