import { Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { Failure } from "../ui/failure.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import { CenteredCard } from "./centered-card.tsx";
import { shortestPassword } from "./session.ts";

/** Where the link of a password reset leads. Its token is in the fragment, which no server sees. */
export function ResetPasswordPage() {
  const { t } = useTranslation();
  const token = useLocation({ select: ({ hash }) => hash });
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { password: "" },
    validate: {
      password: (text) => (text.length < shortestPassword ? t("invitation.short", { count: shortestPassword }) : null),
    },
  });
  const reset = useMutation({
    mutationFn: ({ password }: { password: string }) =>
      call("/password-resets/complete", { method: "POST", body: { token, password } }),
    meta: { signsIn: true },
  });
  if (reset.isSuccess)
    return (
      <CenteredCard title={t("passwordReset.done")}>
        <Text size="sm" mt="sm">
          {t("passwordReset.doneAbout")}
        </Text>
        <ButtonLink to="/sign-in" mt="lg" fullWidth>
          {t("invitation.signIn")}
        </ButtonLink>
      </CenteredCard>
    );
  return (
    <CenteredCard title={t("passwordReset.choose")} about={t("passwordReset.chooseAbout")}>
      <form onSubmit={form.onSubmit((values) => reset.mutate(values))}>
        <Stack mt="lg">
          <PasswordInput
            label={t("profile.new")}
            description={t("invitation.short", { count: shortestPassword })}
            autoComplete="new-password"
            required
            autoFocus
            {...form.getInputProps("password")}
          />
          {reset.error !== null && (
            <>
              <Failure error={reset.error} />
              <ButtonLink to="/forgot-password" variant="subtle">
                {t("passwordReset.another")}
              </ButtonLink>
            </>
          )}
          <Button type="submit" loading={reset.isPending}>
            {t("passwordReset.set")}
          </Button>
        </Stack>
      </form>
    </CenteredCard>
  );
}
