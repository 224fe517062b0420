import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { Failure } from "../ui/failure.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { CenteredCard } from "./centered-card.tsx";

/** Requests a link that resets a password. What it says does not depend on whether the user exists. */
export function ForgotPasswordPage() {
  const { t } = useTranslation();
  const request = useMutation({
    mutationFn: (email: string) =>
      call<{ expires_in_minutes: number }>("/password-resets", { method: "POST", body: { email } }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    request.mutate(String(new FormData(event.currentTarget).get("email")));
  };
  if (request.data !== undefined)
    return (
      <CenteredCard title={t("passwordReset.sent")}>
        <Text size="sm" mt="sm" style={{ overflowWrap: "anywhere" }}>
          {t("passwordReset.sentAbout", { email: request.variables, count: request.data.expires_in_minutes })}
        </Text>
        <ButtonLink to="/sign-in" variant="default" mt="lg" fullWidth>
          {t("invitation.signIn")}
        </ButtonLink>
      </CenteredCard>
    );
  return (
    <CenteredCard title={t("passwordReset.title")} about={t("passwordReset.about")}>
      <form onSubmit={submit}>
        <Stack mt="lg">
          <TextInput type="email" label={t("signIn.email")} autoComplete="username" name="email" required autoFocus />
          {request.error !== null && <Failure error={request.error} />}
          <Button type="submit" loading={request.isPending}>
            {t("passwordReset.send")}
          </Button>
          <ButtonLink to="/sign-in" variant="subtle">
            {t("signIn.back")}
          </ButtonLink>
        </Stack>
      </form>
    </CenteredCard>
  );
}
