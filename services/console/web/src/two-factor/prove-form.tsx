import { Stack, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Actions } from "../ui/actions.tsx";
import { PasswordInput } from "../ui/password-input.tsx";

export interface Proof {
  readonly password: string;
  readonly code: string;
}

interface Props {
  readonly action: string;
  readonly color?: string;
  /** The last attempt. */
  readonly of: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: (proof: Proof) => void;
}

/** Asks for the password and a code, before the second factor is changed. */
export function ProveForm({ action, color, of, onSubmit }: Props) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    onSubmit({ password: String(given.get("password")), code: String(given.get("code")) });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label={t("profile.current")}
          autoComplete="current-password"
          name="password"
          required
          data-autofocus
        />
        <TextInput
          label={t("signIn.code")}
          description={t("signIn.codeHint")}
          autoComplete="one-time-code"
          name="code"
          required
          maxLength={40}
        />
        <Actions of={of} {...(color !== undefined && { color })}>
          {action}
        </Actions>
      </Stack>
    </form>
  );
}
