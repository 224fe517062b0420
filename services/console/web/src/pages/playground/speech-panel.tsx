import { Group, Loader, Select, Stack, Textarea } from "@mantine/core";
import { IconVolume } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { duration } from "../../format/number.ts";
import { useAccountId } from "../../shell/account.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { AsCode } from "./as-code.tsx";
import { Bill } from "./bill.tsx";
import { ask, receiptIdOf } from "./gateway.ts";
import { RunRow } from "./run-row.tsx";
import { ModelSelect, useModelOf, Workbench } from "./workbench.tsx";

interface Voices {
  readonly data: readonly { readonly id: string }[];
}

interface Spoken {
  readonly url: string;
  readonly tookMs: number;
  readonly requestId: string | null;
}

async function speak(body: object, account: string | undefined): Promise<Spoken> {
  const startedAt = performance.now();
  const response = await ask({ path: "/v1/audio/speech", body, account });
  const url = URL.createObjectURL(await response.blob());
  return { url, tookMs: Math.round(performance.now() - startedAt), requestId: receiptIdOf(response) };
}

function Sound({ of: spoken }: { readonly of: Spoken }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      {/* biome-ignore lint/a11y/useMediaCaption: what is said stands in the field beside it */}
      <audio src={spoken.url} controls style={{ width: "100%" }} />
      <Group gap="xs" fz="xs" c="dimmed">
        <span>{t("playground.took", { time: duration(spoken.tookMs) })}</span>
        <Bill requestId={spoken.requestId} />
      </Group>
    </Stack>
  );
}

/** Words that are spoken. */
export function SpeechPanel() {
  const { t } = useTranslation();
  const account = useAccountId();
  const { models, model, choose } = useModelOf("audio.speech");
  const [input, setInput] = useState("");
  const [voice, setVoice] = useState<string | null>(null);
  const voices = useQuery({ queryKey: ["voices"], queryFn: () => call<Voices>("/gateway/v1/audio/voices") });
  const body = { model: model?.id, input, ...(voice !== null && { voice }) };
  const make = useMutation({ mutationFn: () => speak(body, account) });
  const form = (
    <>
      <ModelSelect models={models} model={model} choose={choose} />
      <Select
        label={t("playground.voice")}
        placeholder={t("playground.usual")}
        data={[...new Set((voices.data?.data ?? []).map(({ id }) => id))]}
        value={voice}
        onChange={setVoice}
        searchable
        clearable
      />
      <Textarea
        label={t("playground.text")}
        autosize
        minRows={4}
        value={input}
        onChange={(event) => setInput(event.currentTarget.value)}
      />
      <RunRow
        code={<AsCode path="/v1/audio/speech" body={body} saveAs="speech.mp3" />}
        run={make}
        ready={input !== "" && model !== undefined}
      >
        {t("playground.speak")}
      </RunRow>
    </>
  );
  const result = (
    <>
      {make.isPending && <Loader size="sm" />}
      {make.error !== null && <Failure error={make.error} />}
      {make.data !== undefined && !make.isPending && <Sound of={make.data} />}
      {make.isIdle && <Empty icon={IconVolume} title={t("playground.modes.speech")} hint={t("playground.about")} />}
    </>
  );
  return <Workbench form={form} result={result} />;
}
