import { Badge, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { useSession } from "../session/use-session.ts";
import { Panel } from "../ui/panel.tsx";
import { type Proof, ProveForm } from "./prove-form.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SetUp } from "./set-up.tsx";

type Step = "setUp" | "renew" | "disable";

function Renew({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const renew = useMutation({
    mutationFn: (body: Proof) =>
      call<{ data: readonly string[] }>("/two-factor/recovery-codes", { method: "POST", body }),
  });
  if (renew.data !== undefined) return <RecoveryCodes codes={renew.data.data} onDone={onDone} />;
  return <ProveForm action={t("twoFactor.renew")} of={renew} onSubmit={renew.mutate} />;
}

function Disable({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const disable = useMutation({
    mutationFn: (body: Proof) => call("/two-factor/disable", { method: "POST", body }),
    onSuccess: () => {
      notifications.show({ message: t("twoFactor.disabled"), color: "teal" });
      onDone();
    },
  });
  return <ProveForm action={t("twoFactor.disable")} color="red" of={disable} onSubmit={disable.mutate} />;
}

const forms = { setUp: SetUp, renew: Renew, disable: Disable } as const;

function Actions({ onStep }: { readonly onStep: (step: Step) => void }) {
  const { t } = useTranslation();
  const { enabled, required } = useSession().two_factor;
  if (!enabled) return <Button onClick={() => onStep("setUp")}>{t("twoFactor.setUp")}</Button>;
  return (
    <>
      <Button variant="default" onClick={() => onStep("renew")}>
        {t("twoFactor.renew")}
      </Button>
      {!required && (
        <Button variant="subtle" color="red" onClick={() => onStep("disable")}>
          {t("twoFactor.disable")}
        </Button>
      )}
    </>
  );
}

/** The user's second factor, and the ways to change it. */
export function TwoFactorPanel() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { offered, enabled, recovery_codes_left: left } = useSession().two_factor;
  const [step, setStep] = useState<Step>();
  const close = (): void => {
    setStep(undefined);
    void client.invalidateQueries();
  };
  if (!offered) return null;
  const Form = step && forms[step];
  const title = step && t(`twoFactor.${step}`);
  return (
    <Panel
      title={t("twoFactor.title")}
      action={
        <Badge variant="dot" color={enabled ? "teal" : "gray.5"} tt="none" fw={500}>
          {t(enabled ? "twoFactor.on" : "twoFactor.off")}
        </Badge>
      }
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {enabled ? t("twoFactor.left", { count: left }) : t("twoFactor.about")}
        </Text>
        <Group justify="flex-end">
          <Actions onStep={setStep} />
        </Group>
      </Stack>
      <Modal opened={Form !== undefined} onClose={close} title={title} closeOnClickOutside={false}>
        {Form !== undefined && <Form onDone={close} />}
      </Modal>
    </Panel>
  );
}
