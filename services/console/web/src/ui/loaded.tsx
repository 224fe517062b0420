import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure.tsx";

interface Props<T> {
  readonly query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  /** Height of the outline that is shown until the data is there. */
  readonly height: number;
  readonly children: (data: T) => ReactNode;
}

/** A query's data, an outline until it is there, and above both why it could not be fetched. */
export function Loaded<T>({ query: { data, error, refetch }, height, children }: Props<T>) {
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton h={height} />}
      {data !== undefined && children(data)}
    </>
  );
}
