import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { Failure } from "../ui/failure.tsx";
import { CenteredCard } from "./centered-card.tsx";

interface Confirmed {
  readonly account_id: string;
  readonly email: string;
}

/**
 * Where the link of a confirmation mail leads. Nothing is confirmed before the button is pressed:
 * mail scanners open links, and some run a page's scripts.
 */
export function ConfirmAddressPage() {
  const { t } = useTranslation();
  const token = useLocation({ select: ({ hash }) => hash });
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => call<Confirmed>("/address-confirmations", { method: "POST", body: { token } }),
  });
  if (data !== undefined) {
    return (
      <CenteredCard title={t("confirmAddress.done")}>
        <Text size="sm" mt="sm" style={{ overflowWrap: "anywhere" }}>
          {t("confirmAddress.doneAbout", { email: data.email, account: data.account_id })}
        </Text>
      </CenteredCard>
    );
  }
  return (
    <CenteredCard title={t("confirmAddress.title")} about={t("confirmAddress.about")}>
      <Stack mt="lg">
        {error !== null && <Failure error={error} />}
        <Button loading={isPending} onClick={() => mutate()}>
          {t("confirmAddress.confirm")}
        </Button>
      </Stack>
    </CenteredCard>
  );
}
