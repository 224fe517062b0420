import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

const route = getRouteApi("/app/usage");
const pauseMs = 300;

/** Searches requests by the gateway's id, the client's, or a provider's. */
export function RequestSearch() {
  const { t } = useTranslation();
  const { id } = route.useSearch();
  const navigate = useNavigate({ from: "/usage" });
  const [text, setText] = useState(id ?? "");
  useEffect(() => setText(id ?? ""), [id]);
  const search = (value: string): void =>
    void navigate({ search: (before) => ({ ...before, id: value.trim() || undefined }), replace: true });
  const later = useDebouncedCallback(search, pauseMs);
  return (
    <TextInput
      aria-label={t("usage.filter.id")}
      placeholder={t("usage.filter.id")}
      leftSection={<IconSearch size={16} />}
      rightSection={
        text !== "" && (
          <CloseButton
            size="sm"
            aria-label={t("usage.filter.clearId")}
            onClick={() => {
              setText("");
              search("");
            }}
          />
        )
      }
      value={text}
      maxLength={128}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
      style={{ flex: "1 1 14rem" }}
      maw={{ base: "100%", sm: 360 }}
    />
  );
}
