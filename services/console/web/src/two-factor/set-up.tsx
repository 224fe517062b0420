import { Box, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { Actions } from "../ui/actions.tsx";
import { Copy } from "../ui/copy.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import classes from "./qr-code.module.css";
import { RecoveryCodes } from "./recovery-codes.tsx";

interface SecretOfApp {
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

/** The library is fetched when a code is shown. */
function QrCode({ of: text }: { readonly of: string }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ["qr", text],
    queryFn: async () => (await import("uqr")).renderSVG(text, { border: 2 }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return <Skeleton w={192} h={192} mx="auto" />;
  const source = `data:image/svg+xml;utf8,${encodeURIComponent(data)}`;
  return (
    <Box mx="auto">
      <img src={source} width={192} height={192} alt={t("twoFactor.qr")} className={classes["code"]} />
    </Box>
  );
}

/** Spaces make a secret easier to type. */
const grouped = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, "$1 ");

function AppForm({ of: { secret, uri }, onCodes }: { of: SecretOfApp; onCodes: (codes: readonly string[]) => void }) {
  const { t } = useTranslation();
  const confirm = useMutation({
    mutationFn: (code: string) =>
      call<{ data: readonly string[] }>("/two-factor/confirm", { method: "POST", body: { code } }),
    onSuccess: ({ data }) => onCodes(data),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    confirm.mutate(String(new FormData(event.currentTarget).get("code")));
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t("twoFactor.scan")}</Text>
        <QrCode of={uri} />
        <Box>
          <Text size="xs" c="dimmed">
            {t("twoFactor.typeSecret")}
          </Text>
          <Group gap={4} wrap="nowrap">
            <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }} data-testid="totp-secret">
              {grouped(secret)}
            </Text>
            <Copy value={secret} />
          </Group>
        </Box>
        <TextInput
          label={t("twoFactor.code")}
          autoComplete="one-time-code"
          inputMode="numeric"
          name="code"
          required
          maxLength={10}
        />
        <Actions of={confirm}>{t("twoFactor.confirm")}</Actions>
      </Stack>
    </form>
  );
}

function PasswordForm({ onSecret }: { readonly onSecret: (secret: SecretOfApp) => void }) {
  const { t } = useTranslation();
  const begin = useMutation({
    mutationFn: (password: string) => call<SecretOfApp>("/two-factor", { method: "POST", body: { password } }),
    onSuccess: onSecret,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    begin.mutate(String(new FormData(event.currentTarget).get("password")));
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
        <Actions of={begin}>{t("twoFactor.continue")}</Actions>
      </Stack>
    </form>
  );
}

/** Sets up an authenticator app: the password, the app, the recovery codes. */
export function SetUp({ onDone }: { readonly onDone: () => void }) {
  const [secret, setSecret] = useState<SecretOfApp>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (secret !== undefined) return <AppForm of={secret} onCodes={setCodes} />;
  return <PasswordForm onSecret={setSecret} />;
}
