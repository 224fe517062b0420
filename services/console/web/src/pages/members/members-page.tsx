import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../session/use-session.ts";
import { useAccountName } from "../../shell/account.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteModal } from "./invite-modal.tsx";
import { MemberMenu } from "./member-menu.tsx";
import { type Member, membersQuery } from "./members.ts";

const column = columnsOf<Member>();

function Name({ of: { name, email, id } }: { readonly of: Member }) {
  const { t } = useTranslation();
  const isSelf = useUser().id === id;
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {name || email}
        </Text>
        {isSelf && (
          <Badge variant="default" size="xs" tt="none">
            {t("members.you")}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {email}
      </Text>
    </Stack>
  );
}

function useColumns(): Columns<Member> {
  const { t } = useTranslation();
  const nameOf = useAccountName();
  return useMemo(
    () => [
      column.display({ id: "name", header: t("members.columns.name"), cell: ({ row }) => <Name of={row.original} /> }),
      column.accessor((member) => t(`roles.${member.role}`), { id: "role", header: t("members.columns.role") }),
      column.accessor(({ account_id: id }) => (id === null ? t("members.form.all") : nameOf(id)), {
        id: "account",
        header: t("members.columns.account"),
        meta: { from: "md" },
      }),
      column.display({
        id: "last",
        header: t("members.columns.last"),
        cell: ({ row }) => <Time at={row.original.last_sign_in_at} as="relative" />,
        meta: { from: "sm" },
      }),
      column.accessor((member) => t(member.two_factor ? "twoFactor.on" : "twoFactor.off"), {
        id: "twoFactor",
        header: t("members.columns.twoFactor"),
        meta: { from: "lg" },
      }),
      column.accessor((member) => t(member.disabled ? "members.disabled" : "members.active"), {
        id: "state",
        header: t("members.columns.state"),
        meta: { from: "sm" },
      }),
      column.display({
        id: "actions",
        header: "",
        cell: ({ row }) => <MemberMenu of={row.original} />,
        meta: { align: "right" },
      }),
    ],
    [t, nameOf],
  );
}

/** Who may sign in, and what they may do. */
export function MembersPage() {
  const { t } = useTranslation();
  const [opened, modal] = useDisclosure(false);
  const found = useInfiniteQuery(membersQuery);
  const columns = useColumns();
  const action = (
    <Button leftSection={<IconUserPlus size={16} />} onClick={modal.open}>
      {t("members.invite")}
    </Button>
  );
  return (
    <Page title={t("members.title")} about={t("members.about")} action={action}>
      <Panel>
        {found.error !== null ? (
          <Failure error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <>
            <DataTable
              label={t("members.title")}
              columns={columns}
              rows={found.data}
              rowId={({ id }) => id}
              empty={<Empty icon={IconUsers} title={t("members.empty")} hint={t("members.emptyHint")} />}
            />
            <ShowMore {...found} />
          </>
        )}
      </Panel>
      <Invitations />
      <InviteModal opened={opened} onClose={modal.close} />
    </Page>
  );
}
