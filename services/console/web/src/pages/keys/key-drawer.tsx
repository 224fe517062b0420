import { Drawer } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Key, NewKey } from "../../api/types.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { KeyDetails } from "./key-details.tsx";
import { KeyForm } from "./key-form.tsx";
import { bodyOf, type KeyValues } from "./key-values.ts";
import { keyPath, keyQuery, refreshKeys } from "./keys.ts";

const route = getRouteApi("/app/keys");

function EditKey({ of: key, onDone }: { readonly of: Key; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const edit = useMutation({
    mutationFn: (values: KeyValues) => call<Key>(keyPath(key.id), { method: "PATCH", body: bodyOf(values, key) }),
    onSuccess: async () => {
      await refreshKeys(client);
      notifications.show({ message: t("keys.saved"), color: "teal" });
      onDone();
    },
  });
  return (
    <KeyForm
      of={key}
      account={key.account_id}
      submit={t("common.save")}
      error={edit.error}
      pending={edit.isPending}
      onSubmit={(values) => edit.mutate(values)}
      onCancel={onDone}
    />
  );
}

/** The key that the address names, with what can be done with it. */
export function KeyDrawer({ onMade }: { readonly onMade: (key: NewKey) => void }) {
  const { t } = useTranslation();
  const { key: id } = route.useSearch();
  const navigate = useNavigate({ from: "/keys" });
  const [editing, setEditing] = useState(false);
  const query = useQuery(keyQuery(id));
  const close = (): void => {
    setEditing(false);
    void navigate({ search: (before) => ({ ...before, key: undefined }) });
  };
  return (
    <Drawer
      opened={id !== undefined}
      onClose={close}
      position="right"
      size="md"
      title={editing ? t("keys.form.edit") : query.data?.key_alias || t("keys.unnamed")}
    >
      <Loaded query={query} height={240}>
        {(data) =>
          editing ? (
            <EditKey of={data} onDone={() => setEditing(false)} />
          ) : (
            <KeyDetails of={data} onEdit={() => setEditing(true)} onMade={onMade} />
          )
        }
      </Loaded>
    </Drawer>
  );
}
