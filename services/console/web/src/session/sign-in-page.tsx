import { Alert, Anchor, Button, Divider, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconInfoCircle, IconLogin2 } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, urlOf } from "../api/http.ts";
import { Failure } from "../ui/failure.tsx";
import { TextLink } from "../ui/links.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import { CenteredCard } from "./centered-card.tsx";
import { adopt, type Session, sessionQuery } from "./session.ts";

interface SignInWays {
  readonly password: boolean;
  /** Whether a forgotten password can be reset by mail. */
  readonly password_reset: boolean;
  readonly oidc: { readonly label: string } | null;
}

const route = getRouteApi("/sign-in");

/** Only a path of ours is gone on to: an address from elsewhere is not. */
function ownPath(next: string | undefined): string {
  return next?.startsWith("/") && !next.startsWith("//") && !next.includes("\\") ? next : "/";
}

const errors = ["permission_denied", "already_exists", "invalid_request", "service_unavailable"] as const;

/** What the address says of a sign-in elsewhere that came to nothing. */
function knownError(code: string): (typeof errors)[number] {
  return errors.find((known) => known === code) ?? "invalid_request";
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly code?: string;
}

/** The response to a correct password where a code is needed too. */
interface SecondFactor {
  readonly object: "console_second_factor";
}

/** @param onSecondFactor called when the password is correct and a code is needed too */
function useSignIn(onSecondFactor: (credentials: Credentials) => void) {
  const client = useQueryClient();
  const router = useRouter();
  const { next } = route.useSearch();
  return useMutation({
    mutationFn: (body: Credentials) => call<Session | SecondFactor>("/session", { method: "POST", body }),
    meta: { signsIn: true },
    onSuccess: async (opened, credentials) => {
      if (!("user" in opened)) return onSecondFactor(credentials);
      client.clear();
      client.setQueryData(sessionQuery.queryKey, adopt(opened));
      await router.navigate({ href: `${router.basepath}${ownPath(next)}`, replace: true });
    },
  });
}

function CodeForm({ of: { email, password }, onBack }: { readonly of: Credentials; readonly onBack: () => void }) {
  const { t } = useTranslation();
  const signIn = useSignIn(onBack);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code"));
    signIn.mutate({ email, password, code });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t("signIn.code")}
          description={t("signIn.codeHint")}
          autoComplete="one-time-code"
          name="code"
          required
          autoFocus
          maxLength={40}
        />
        {signIn.error !== null && <Failure error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending} fullWidth>
          {t("signIn.verify")}
        </Button>
        <Text size="xs" c="dimmed">
          {t("signIn.lostCodes")}
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          {t("signIn.back")}
        </Anchor>
      </Stack>
    </form>
  );
}

function PasswordForm({ canReset }: { readonly canReset: boolean }) {
  const { t } = useTranslation();
  const [proved, setProved] = useState<Credentials>();
  const signIn = useSignIn(setProved);
  if (proved !== undefined) return <CodeForm of={proved} onBack={() => setProved(undefined)} />;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    signIn.mutate({ email: String(given.get("email")), password: String(given.get("password")) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput label={t("signIn.email")} autoComplete="username" name="email" required autoFocus />
        <PasswordInput label={t("signIn.password")} autoComplete="current-password" name="password" required />
        {signIn.error !== null && <Failure error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending} fullWidth>
          {t("signIn.submit")}
        </Button>
        {canReset && (
          <Group justify="center">
            <TextLink to="/forgot-password" size="sm">
              {t("signIn.forgot")}
            </TextLink>
          </Group>
        )}
      </Stack>
    </form>
  );
}

export function SignInPage() {
  const { t } = useTranslation();
  const router = useRouter();
  useDocumentTitle(`${t("signIn.title")} · AI Gateway`);
  const { ended, error, next } = route.useSearch();
  const ways = useQuery({ queryKey: ["sign-in"], queryFn: () => call<SignInWays>("/sign-in") });
  const oidc = ways.data?.oidc;
  return (
    <CenteredCard title={t("signIn.title")} about={t("signIn.about")}>
      <Stack mt="lg" gap="md">
        {ended === true && (
          <Alert color="blue" icon={<IconInfoCircle size={18} />} role="status">
            {t("signIn.ended")}
          </Alert>
        )}
        {error !== undefined && <Failure error={new Error(t(`signIn.errors.${knownError(error)}`))} />}
        {oidc && (
          <>
            <Button
              component="a"
              href={urlOf("/oidc/start", { return_to: router.basepath + ownPath(next) })}
              variant="default"
              leftSection={<IconLogin2 size={18} />}
            >
              {t("signIn.with", { name: oidc.label })}
            </Button>
            {ways.data?.password && <Divider label={t("signIn.or")} />}
          </>
        )}
        {ways.data?.password !== false && <PasswordForm canReset={ways.data?.password_reset === true} />}
      </Stack>
    </CenteredCard>
  );
}
