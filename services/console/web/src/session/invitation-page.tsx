import { Button, Skeleton, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../api/http.ts";
import { Failure } from "../ui/failure.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import { CenteredCard } from "./centered-card.tsx";
import { adopt, type Role, type Session, sessionQuery, shortestPassword } from "./session.ts";

interface Invitation {
  readonly email: string;
  readonly role: Role;
  readonly account_id: string | null;
}

const route = getRouteApi("/invitations/$token");

function AcceptForm({ token }: { readonly token: string }) {
  const { t } = useTranslation();
  const router = useRouter();
  const client = useQueryClient();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: "", password: "" },
    validate: {
      password: (text) => (text.length < shortestPassword ? t("invitation.short", { count: shortestPassword }) : null),
    },
  });
  const accept = useMutation({
    mutationFn: (body: { name: string; password: string }) =>
      call<Session>(`/invitations/${encodeURIComponent(token)}/accept`, { method: "POST", body }),
    meta: { signsIn: true },
    onSuccess: async (session) => {
      client.clear();
      client.setQueryData(sessionQuery.queryKey, adopt(session));
      await router.navigate({ to: "/" });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => accept.mutate(values))}>
      <Stack mt="lg">
        <TextInput label={t("invitation.name")} autoComplete="name" required {...form.getInputProps("name")} />
        <PasswordInput
          label={t("invitation.password")}
          description={t("invitation.short", { count: shortestPassword })}
          autoComplete="new-password"
          required
          {...form.getInputProps("password")}
        />
        {accept.error !== null && <Failure error={accept.error} />}
        <Button type="submit" loading={accept.isPending}>
          {t("invitation.accept")}
        </Button>
      </Stack>
    </form>
  );
}

/** Where the link of an invitation leads. */
export function InvitationPage() {
  const { t } = useTranslation();
  const { token } = route.useParams();
  const { data, error } = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => call<Invitation>(`/invitations/${encodeURIComponent(token)}`),
  });
  const about = data && t("invitation.about", { email: data.email, role: t(`roles.${data.role}`) });
  return (
    <CenteredCard
      title={t(error === null ? "invitation.title" : "invitation.none")}
      {...(about !== undefined && { about })}
    >
      {error !== null && (
        <Stack mt="lg">
          <Failure error={error} />
          <ButtonLink to="/sign-in" variant="default">
            {t("invitation.signIn")}
          </ButtonLink>
        </Stack>
      )}
      {error === null && data === undefined && <Skeleton h={160} mt="lg" />}
      {data !== undefined && <AcceptForm token={token} />}
    </CenteredCard>
  );
}
