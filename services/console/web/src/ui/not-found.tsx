import { Center } from "@mantine/core";
import { type Icon, IconLock, IconMapPinQuestion } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";
import { ButtonLink } from "./links.tsx";

function Nothing({ icon, text }: { readonly icon: Icon; readonly text: "notFound" | "notForRole" }) {
  const { t } = useTranslation();
  return (
    <Center mih="60vh">
      <Empty
        icon={icon}
        title={t(`${text}.title`)}
        hint={t(`${text}.hint`)}
        action={
          <ButtonLink to="/" variant="default" mt="sm">
            {t("notFound.home")}
          </ButtonLink>
        }
      />
    </Center>
  );
}

export const NotFound = () => <Nothing icon={IconMapPinQuestion} text="notFound" />;

/** In place of a page that the person's role does not have. */
export const NotForRole = () => <Nothing icon={IconLock} text="notForRole" />;
