import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconCheck, IconDots, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { useUser } from "../../session/use-session.ts";
import { LimitsModal } from "./limits-modal.tsx";
import { type Member, roles, userPath } from "./members.ts";
import { RemoveModal } from "./remove-modal.tsx";

function useChange(member: Member) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: object) => call(userPath(member.id), { method: "PATCH", body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["members"] }),
    onError: (error: Error) => notifications.show({ message: error.message, color: "red" }),
  });
}

function useTwoFactorReset(member: Member) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(`${userPath(member.id)}/two-factor`, { method: "DELETE" }),
    onSuccess: async () => {
      notifications.show({ message: t("members.twoFactorReset", { email: member.email }), color: "teal" });
      await client.invalidateQueries({ queryKey: ["members"] });
    },
    onError: (error: Error) => notifications.show({ message: error.message, color: "red" }),
  });
}

/** The actions on a member, which are not available for oneself. */
export function MemberMenu({ of: member }: { readonly of: Member }) {
  const { t } = useTranslation();
  const user = useUser();
  const change = useChange(member);
  const resetTwoFactor = useTwoFactorReset(member);
  const [removing, removal] = useDisclosure(false);
  const [limiting, limits] = useDisclosure(false);
  if (user.id === member.id) return null;
  const choices = roles.filter((role) =>
    member.account_id === null ? role === "operator" || role === "auditor" : role !== "operator",
  );
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t("members.actions", { email: member.email })}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t("members.columns.role")}</Menu.Label>
          {choices.map((role) => (
            <Menu.Item
              key={role}
              onClick={() => change.mutate({ role })}
              rightSection={member.role === role ? <IconCheck size={14} /> : undefined}
            >
              {t(`roles.${role}`)}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {member.role === "member" && <Menu.Item onClick={limits.open}>{t("members.limits.open")}</Menu.Item>}
          {user.role === "operator" && member.two_factor && (
            <Menu.Item onClick={() => resetTwoFactor.mutate()}>{t("members.resetTwoFactor")}</Menu.Item>
          )}
          <Menu.Item onClick={() => change.mutate({ disabled: !member.disabled })}>
            {t(member.disabled ? "members.enable" : "members.disable")}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={removal.open}>
            {t("members.remove")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RemoveModal of={member} opened={removing} onClose={removal.close} />
      {limiting && <LimitsModal of={member} opened onClose={limits.close} />}
    </>
  );
}
