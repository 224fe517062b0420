import "@mantine/spotlight/styles.css";
import { Spotlight, type SpotlightActionData, spotlight } from "@mantine/spotlight";
import { IconBook, IconBuilding, IconKey, IconReceipt, IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useModels } from "../api/models.ts";
import { fits, useAllKeys } from "../pages/keys/keys.ts";
import { mayOpen } from "../session/readers.ts";
import { useUser } from "../session/use-session.ts";
import { accountsQuery, useAccountId, useSeesAllAccounts } from "./account.ts";
import { navigation } from "./navigation.ts";
import classes from "./palette.module.css";

/** Most results of one kind. */
const most = 6;

const has = (query: string, ...texts: readonly string[]): boolean =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.join(" ").toLowerCase().includes(word));

interface Group {
  readonly group: string;
  readonly actions: SpotlightActionData[];
}

function usePages(query: string): SpotlightActionData[] {
  const { t } = useTranslation();
  const user = useUser();
  const navigate = useNavigate();
  return navigation
    .flatMap(({ entries }) => [...entries])
    .filter(({ to, name }) => mayOpen(to, user) && has(query, t(`nav.${name}`), to))
    .map(({ to, name, icon: Shape }) => ({
      id: `page ${to}`,
      label: t(`nav.${name}`),
      leftSection: <Shape size={18} stroke={1.7} aria-hidden />,
      onClick: () => void navigate({ to }),
    }));
}

function useKeyActions(query: string): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data = [] } = useAllKeys({ account: useAccountId(), withRevoked: true });
  if (query === "") return [];
  return data
    .filter((key) => fits(key, query))
    .slice(0, most)
    .map(({ id, key_alias, hint }) => ({
      id: `key ${id}`,
      label: key_alias || t("keys.unnamed"),
      description: hint,
      leftSection: <IconKey size={18} stroke={1.7} aria-hidden />,
      onClick: () => void navigate({ to: "/keys", search: (before) => ({ account: before.account, key: id }) }),
    }));
}

function useModelActions(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useModels();
  if (query === "") return [];
  return data
    .filter(({ id, display_name: name }) => has(query, id, name))
    .slice(0, most)
    .map(({ id, display_name: name }) => ({
      id: `model ${id}`,
      label: name,
      description: id,
      leftSection: <IconBook size={18} stroke={1.7} aria-hidden />,
      onClick: () => void navigate({ to: "/models", search: (before) => ({ account: before.account, model: id }) }),
    }));
}

function useAccountActions(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useInfiniteQuery({ ...accountsQuery, enabled: useSeesAllAccounts() });
  if (query === "") return [];
  return data
    .filter(({ id, name }) => has(query, id, name))
    .slice(0, most)
    .map(({ id, name }) => ({
      id: `account ${id}`,
      label: name || id,
      description: id,
      leftSection: <IconBuilding size={18} stroke={1.7} aria-hidden />,
      onClick: () => void navigate({ to: "/billing", search: { account: id } }),
    }));
}

/** The way to the request with an id, of whatever kind. */
function useRequestActions(query: string): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const id = query.trim();
  if (id.length < 4 || /\s/.test(id)) return [];
  return [
    {
      id: "request",
      label: t("palette.request", { id }),
      leftSection: <IconReceipt size={18} stroke={1.7} aria-hidden />,
      onClick: () => void navigate({ to: "/usage", search: (before) => ({ account: before.account, id }) }),
    },
  ];
}

function useGroups(query: string): Group[] {
  const { t } = useTranslation();
  const groups = [
    { group: t("palette.pages"), actions: usePages(query) },
    { group: t("palette.keys"), actions: useKeyActions(query) },
    { group: t("palette.models"), actions: useModelActions(query) },
    { group: t("palette.accounts"), actions: useAccountActions(query) },
    { group: t("palette.requests"), actions: useRequestActions(query) },
  ];
  return groups.filter(({ actions }) => actions.length > 0);
}

/** Finds pages, keys, models, accounts and requests. Opens as soon as it is there. */
export function Palette() {
  const { t } = useTranslation();
  const [query, setQuery] = useState("");
  const groups = useGroups(query);
  useEffect(() => spotlight.open(), []);
  return (
    <Spotlight
      actions={groups}
      filter={(_, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={() => setQuery("")}
      shortcut="mod + K"
      triggerOnContentEditable={false}
      tagsToIgnore={[]}
      attributes={{ content: { "aria-label": t("palette.placeholder") } }}
      classNames={{ actionDescription: classes["description"] ?? "" }}
      nothingFound={t("palette.nothing")}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t("palette.placeholder"),
        "aria-label": t("palette.placeholder"),
      }}
    />
  );
}
