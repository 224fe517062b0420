import { Group, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAllKeys } from "../pages/keys/keys.ts";
import { useAccountId, useAccountName } from "../shell/account.ts";
import { Copy } from "./copy.tsx";
import { TextLink } from "./links.tsx";

/** An account by its name; the tooltip and the copy button have its id. */
export function AccountName({ id }: { readonly id: string }) {
  const name = useAccountName()(id);
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label={id}>
        <Text component="span" inherit>
          {name}
        </Text>
      </Tooltip>
      <Copy value={id} />
    </Group>
  );
}

/** A key by its name, as a link to it; by its id where it is not listed. */
export function KeyLink({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const key = useAllKeys({ account: useAccountId(), withRevoked: true }).data?.find((one) => one.id === id);
  return (
    <TextLink to="/keys" search={{ key: id }} size="sm">
      {key === undefined ? id : `${key.key_alias || t("keys.unnamed")} ${key.hint}`}
    </TextLink>
  );
}
