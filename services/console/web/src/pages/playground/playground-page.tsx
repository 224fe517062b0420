import { Tabs } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "../../ui/page.tsx";
import classes from "../../ui/tabs.module.css";
import { ChatPanel } from "./chat-panel.tsx";
import { EditPanel } from "./edit-panel.tsx";
import { EmbeddingsPanel } from "./embeddings-panel.tsx";
import { ImagesPanel } from "./images-panel.tsx";
import { SpeechPanel } from "./speech-panel.tsx";
import { VideoPanel } from "./video-panel.tsx";

const route = getRouteApi("/app/playground");

const panels = {
  chat: ChatPanel,
  images: ImagesPanel,
  edit: EditPanel,
  speech: SpeechPanel,
  video: VideoPanel,
  embeddings: EmbeddingsPanel,
} as const;
type Mode = keyof typeof panels;

/** Models at work, as programs use them. */
export function PlaygroundPage() {
  const { t } = useTranslation();
  const { mode = "chat" } = route.useSearch();
  const navigate = useNavigate({ from: "/playground" });
  const tabs = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is to be seen
  useEffect(() => {
    tabs.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [mode]);
  return (
    <Page title={t("playground.title")} about={t("playground.about")}>
      <Tabs
        value={mode}
        onChange={(value) =>
          void navigate({
            search: (before) => ({ ...before, mode: value === "chat" ? undefined : (value ?? undefined) }),
          })
        }
        keepMounted={false}
      >
        <Tabs.List ref={tabs} mb="md" className={classes["list"]}>
          {(Object.keys(panels) as Mode[]).map((name) => (
            <Tabs.Tab key={name} value={name} className={classes["tab"]}>
              {t(`playground.modes.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {(Object.entries(panels) as [Mode, () => React.ReactNode][]).map(([name, Panel]) => (
          <Tabs.Panel key={name} value={name}>
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
