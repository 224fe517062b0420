import { Center } from "@mantine/core";
import { type Icon, IconBuilding, IconLock, IconMapPinQuestion } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";
import { ButtonLink } from "./links.tsx";

function Nothing({ icon, text }: { readonly icon: Icon; readonly text: "notFound" | "notForRole" | "noAccount" }) {
  const { t } = useTranslation();
  return (
    <Center mih="60vh">
      <Empty
        icon={icon}
        title={t(`${text}.title`)}
        hint={t(`${text}.hint`)}
        action={
          <ButtonLink to="/" search={{ account: undefined }} variant="default" mt="sm">
            {t(text === "noAccount" ? "noAccount.home" : "notFound.home")}
          </ButtonLink>
        }
      />
    </Center>
  );
}

export const NotFound = () => <Nothing icon={IconMapPinQuestion} text="notFound" />;

/** In place of a page of an account that does not exist. */
export const NoAccount = () => <Nothing icon={IconBuilding} text="noAccount" />;

/** In place of a page that the person's role does not have. */
export const NotForRole = () => <Nothing icon={IconLock} text="notForRole" />;
