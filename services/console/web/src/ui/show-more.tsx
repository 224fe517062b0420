import { Button, Center } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface Props {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** A button below a listing with further pages, which fetches the next page. */
export function ShowMore({ hasNextPage, isFetchingNextPage, fetchNextPage }: Props) {
  const { t } = useTranslation();
  if (!hasNextPage) return null;
  return (
    <Center p="sm">
      <Button variant="subtle" size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t("common.showMore")}
      </Button>
    </Center>
  );
}
