import { Skeleton, Stack } from "@mantine/core";

/** The outline of a page that is on its way. */
export function PageSkeleton() {
  return (
    <Stack gap="lg" maw={1280} mx="auto" w="100%" aria-busy="true">
      <Skeleton h={28} w={220} />
      <Skeleton h={14} w={360} maw="80%" />
      <Skeleton h={320} />
    </Stack>
  );
}
