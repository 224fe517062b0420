import { Center } from "@mantine/core";
import { IconMapPinQuestion } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";
import { ButtonLink } from "./links.tsx";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Center mih="60vh">
      <Empty
        icon={IconMapPinQuestion}
        title={t("notFound.title")}
        hint={t("notFound.hint")}
        action={
          <ButtonLink to="/" variant="default" mt="sm">
            {t("notFound.home")}
          </ButtonLink>
        }
      />
    </Center>
  );
}
