import { Drawer, Select, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Actions } from "../../ui/actions.tsx";
import { Failure } from "../../ui/failure.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { templatesQuery } from "./providers.ts";
import { useChange } from "./use-change.ts";

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Called with the new provider's id. */
  readonly onAdded: (id: string) => void;
}

const usual = "openai-compatible";

function AddProviderForm({ onClose, onAdded }: Omit<Props, "opened">) {
  const { t } = useTranslation();
  const templates = useQuery(templatesQuery);
  const [template, setTemplate] = useState(usual);
  const [id, setId] = useState("");
  const [baseUrl, setBaseUrl] = useState("");
  const [apiKey, setApiKey] = useState("");
  const add = useChange(() => onAdded(id));
  const choose = (name: string): void => {
    setTemplate(name);
    setBaseUrl(templates.data?.data.find((each) => each.id === name)?.base_url ?? "");
    if (id === "" || id === template) setId(name.endsWith("-compatible") ? "" : name);
  };
  const submit = (): void =>
    add.mutate({
      path: "/admin/v1/providers",
      method: "POST",
      body: {
        id,
        template,
        base_url: baseUrl.trim(),
        ...(apiKey.trim() !== "" && { api_key: apiKey.trim() }),
      },
      done: t("providers.made", { provider: id }),
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <Select
          label={t("providers.template")}
          description={t("providers.templateAbout")}
          data={(templates.data?.data ?? []).map((each) => each.id)}
          value={template}
          onChange={(name) => name !== null && choose(name)}
          allowDeselect={false}
          searchable
        />
        <TextInput
          label={t("providers.id")}
          description={t("providers.idAbout")}
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
          maxLength={64}
          required
        />
        <TextInput
          label={t("providers.baseUrl")}
          placeholder="https://llm.example.com/v1"
          value={baseUrl}
          onChange={({ currentTarget }) => setBaseUrl(currentTarget.value)}
          required
        />
        <PasswordInput
          label={t("providers.apiKey")}
          description={t("providers.keyOptional")}
          value={apiKey}
          onChange={({ currentTarget }) => setApiKey(currentTarget.value)}
          autoComplete="off"
        />
        {templates.error !== null && <Failure error={templates.error} />}
        <Actions of={add} onCancel={onClose} disabled={id === "" || baseUrl.trim() === ""}>
          {t("providers.create")}
        </Actions>
      </Stack>
    </form>
  );
}

/** Adds a provider from a template, or at any address with a supported protocol. */
export function AddProviderDrawer({ opened, onClose, onAdded }: Props) {
  const { t } = useTranslation();
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="md" title={t("providers.create")}>
      <AddProviderForm onClose={onClose} onAdded={onAdded} />
    </Drawer>
  );
}
