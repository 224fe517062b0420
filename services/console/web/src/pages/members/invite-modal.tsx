import { Alert, Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Role } from "../../session/session.ts";
import { useUser } from "../../session/use-session.ts";
import { accountsQuery, useAccountId, useSeesAllAccounts } from "../../shell/account.ts";
import { Copy } from "../../ui/copy.tsx";
import { Failure } from "../../ui/failure.tsx";
import { type Invitation, roles } from "./members.ts";

interface Values {
  email: string;
  role: Role;
  account_id: string | null;
}

/** Represents all accounts; no account has this id. */
const everywhere = "*";

function InviteForm({ onMade }: { readonly onMade: (invitation: Invitation & { readonly url: string }) => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const seesAll = useSeesAllAccounts();
  const isOperator = useUser().role === "operator";
  const shown = useAccountId();
  const accounts = useInfiniteQuery({ ...accountsQuery, enabled: seesAll });
  const form = useForm<Values>({ initialValues: { email: "", role: "member", account_id: null } });
  const { role, account_id } = form.values;
  const mayBeEverywhere = role === "auditor";
  const chosen = account_id === everywhere && !mayBeEverywhere ? null : account_id;
  const account = chosen ?? shown ?? accounts.data?.[0]?.id ?? null;
  const invite = useMutation({
    mutationFn: ({ email }: Values) => {
      const isEverywhere = role === "operator" || account === everywhere;
      const place = isEverywhere ? { account_id: null } : seesAll && { account_id: account };
      return call<Invitation & { url: string }>("/invitations", { method: "POST", body: { email, role, ...place } });
    },
    onSuccess: async (made) => {
      onMade(made);
      await client.invalidateQueries({ queryKey: ["members"] });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))}>
      <Stack>
        <TextInput
          type="email"
          label={t("members.form.email")}
          required
          data-autofocus
          {...form.getInputProps("email")}
        />
        <Select
          label={t("members.form.role")}
          description={t(`members.about_roles.${role}`)}
          data={roles
            .filter((one) => isOperator || one !== "operator")
            .map((one) => ({ value: one, label: t(`roles.${one}`) }))}
          allowDeselect={false}
          {...form.getInputProps("role")}
        />
        {seesAll && role !== "operator" && (
          <Select
            label={t("members.form.account")}
            data={[
              ...(mayBeEverywhere ? [{ value: everywhere, label: t("members.form.all") }] : []),
              ...(accounts.data ?? []).map(({ id, name }) => ({ value: id, label: name || id })),
            ]}
            value={account}
            onChange={(value) => form.setFieldValue("account_id", value)}
            allowDeselect={false}
            searchable
          />
        )}
        {invite.error !== null && <Failure error={invite.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={invite.isPending}>
            {t("members.form.submit")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function InviteModal({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [url, setUrl] = useState<string>();
  const close = (): void => {
    onClose();
    setUrl(undefined);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t("members.form.title")}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      {url === undefined ? (
        <InviteForm onMade={(invitation) => setUrl(invitation.url)} />
      ) : (
        <Stack>
          <Alert color="yellow">{t("members.linkOnce")}</Alert>
          <TextInput
            label={t("members.link")}
            value={url}
            readOnly
            rightSection={<Copy value={url} />}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Group justify="flex-end">
            <Button onClick={close}>{t("common.done")}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
