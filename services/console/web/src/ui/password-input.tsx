import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** An input for a secret, whose button to show it has a name. */
export function PasswordInput(props: PasswordInputProps) {
  const { t } = useTranslation();
  return <MantinePasswordInput {...props} visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }} />;
}
