import { Button, Center } from "@mantine/core";
import { IconMapPinQuestion } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Center mih="60vh">
      <Empty
        icon={IconMapPinQuestion}
        title={t("notFound.title")}
        hint={t("notFound.hint")}
        action={
          <Button component={Link} to="/" variant="default" mt="sm">
            {t("notFound.home")}
          </Button>
        }
      />
    </Center>
  );
}
