import { Alert, Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconMailCheck } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Role } from "../../session/session.ts";
import { useUser } from "../../session/use-session.ts";
import { accountsQuery, useAccountId, useSeesAllAccounts } from "../../shell/account.ts";
import { Actions } from "../../ui/actions.tsx";
import { Copy } from "../../ui/copy.tsx";
import { type NewInvitation, roles } from "./members.ts";

interface Values {
  email: string;
  role: Role;
  account_id: string | null;
}

/** Represents all accounts; no account has this id. */
const everywhere = "*";

function InviteForm({ onMade }: { readonly onMade: (invitation: NewInvitation) => void }) {
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
      return call<NewInvitation>("/invitations", { method: "POST", body: { email, role, ...place } });
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
        <Actions of={invite}>{t("members.form.submit")}</Actions>
      </Stack>
    </form>
  );
}

/** The link of a new invitation, and whether it was mailed. */
function Link({ of: { url, email, mailed }, onDone }: { readonly of: NewInvitation; readonly onDone: () => void }) {
  const { t } = useTranslation();
  return (
    <Stack>
      {mailed ? (
        <Alert color="teal" icon={<IconMailCheck size={18} />}>
          {t("members.mailed", { email })}
        </Alert>
      ) : (
        <Alert color="yellow">{t("members.linkOnce")}</Alert>
      )}
      <TextInput
        label={t("members.link")}
        value={url}
        readOnly
        rightSection={<Copy value={url} />}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>{t("common.done")}</Button>
      </Group>
    </Stack>
  );
}

export function InviteModal({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [made, setMade] = useState<NewInvitation>();
  const close = (): void => {
    onClose();
    setMade(undefined);
  };
  return (
    <Modal opened={opened} onClose={close} title={t("members.form.title")}>
      {made === undefined ? <InviteForm onMade={setMade} /> : <Link of={made} onDone={close} />}
    </Modal>
  );
}
