import { Box, Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { SetUp } from "../two-factor/set-up.tsx";
import { CenteredCard } from "./centered-card.tsx";
import { forget, sessionQuery } from "./session.ts";

/** Where users set up the second factor that their role needs; they get no further without it. */
export function TwoFactorPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const finish = async (): Promise<void> => {
    await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await navigate({ to: "/" });
  };
  const leave = async (): Promise<void> => {
    await call("/session", { method: "DELETE" });
    await navigate({ to: "/sign-in" });
    forget(client);
  };
  return (
    <CenteredCard title={t("twoFactor.setUp")} about={t("twoFactor.required")}>
      <Box mt="lg">
        <SetUp onDone={() => void finish()} />
      </Box>
      <Button variant="subtle" size="compact-sm" mt="md" onClick={() => void leave()}>
        {t("shell.signOut")}
      </Button>
    </CenteredCard>
  );
}
