import { Badge, Button, Group, Loader, NumberInput, Select, Stack, Text, Textarea } from "@mantine/core";
import { IconMovie } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { duration as durationText } from "../../format/number.ts";
import { useAccountId } from "../../shell/account.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { AsCode } from "./as-code.tsx";
import { Bill } from "./bill.tsx";
import { ask, receiptIdOf } from "./gateway.ts";
import { RunRow } from "./run-row.tsx";
import { ModelSelect, useModelOf, Workbench } from "./workbench.tsx";

interface Task {
  readonly id: string;
  readonly status: "submitted" | "queued" | "running" | "succeeded" | "failed" | "cancelled" | "expired";
  readonly content?: { readonly video_url?: string };
  readonly error?: { readonly message: string };
}

/** A task as it was accepted. */
interface Started {
  readonly task: Task;
  readonly startedAt: number;
  readonly requestId: string | null;
}

const path = "/v1/videos/generations";
const running: readonly Task["status"][] = ["submitted", "queued", "running"];
const colors = { succeeded: "teal", failed: "red", cancelled: "gray", expired: "gray" } as const;
const pollMs = 2_000;

const isRunning = (task: Task | undefined): boolean => task !== undefined && running.includes(task.status);

/** A video task's progress, and its video once it has succeeded. */
function Film({ of: { task: first, startedAt, requestId } }: { readonly of: Started }) {
  const { t } = useTranslation();
  const account = useAccountId();
  const {
    data: task = first,
    error,
    dataUpdatedAt,
  } = useQuery({
    queryKey: ["video", first.id],
    queryFn: () => call<Task>(`/gateway${path}/${encodeURIComponent(first.id)}`, { query: { account } }),
    refetchInterval: ({ state }) => (isRunning(state.data ?? first) ? pollMs : false),
  });
  const cancel = useMutation({
    mutationFn: () => call(`/gateway${path}/${encodeURIComponent(first.id)}`, { method: "DELETE", query: { account } }),
  });
  const failure = error ?? cancel.error ?? (task.error === undefined ? null : new Error(task.error.message));
  return (
    <Stack gap="sm" aria-live="polite">
      <Group justify="space-between">
        <Group gap="xs">
          {isRunning(task) && <Loader size="xs" />}
          <Badge variant="dot" color={colors[task.status as keyof typeof colors] ?? "blue"} tt="none">
            {task.status}
          </Badge>
          <Text size="xs" c="dimmed" className="tabular">
            {t("playground.took", { time: durationText(Math.max(0, dataUpdatedAt - startedAt)) })}
          </Text>
          {task.status === "succeeded" && (
            <Text size="xs" c="dimmed">
              <Bill requestId={requestId} />
            </Text>
          )}
        </Group>
        {isRunning(task) && (
          <Button size="xs" variant="subtle" color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            {t("playground.cancel")}
          </Button>
        )}
      </Group>
      {isRunning(task) && (
        <Text size="sm" c="dimmed">
          {t("playground.running")}
        </Text>
      )}
      {failure !== null && <Failure error={failure} />}
      {task.content?.video_url !== undefined && (
        // biome-ignore lint/a11y/useMediaCaption: there is no transcript of a generated video
        <video src={task.content.video_url} controls style={{ width: "100%", borderRadius: 8 }} />
      )}
    </Stack>
  );
}

/** Generates videos from prompts. */
export function VideoPanel() {
  const { t } = useTranslation();
  const account = useAccountId();
  const { models, model, choose } = useModelOf("videos.generations");
  const [wanted, setWanted] = useState({ prompt: "", duration: 5, resolution: "720p" });
  const size = { duration: wanted.duration, resolution: wanted.resolution };
  const parameters = { resolution: wanted.resolution.toUpperCase(), duration: wanted.duration };
  const body = { model: model?.id, ...size, input: { prompt: wanted.prompt }, parameters };
  const make = useMutation({
    mutationFn: async (): Promise<Started> => {
      const startedAt = Date.now();
      const response = await ask({ path, body, account });
      return { task: (await response.json()) as Task, startedAt, requestId: receiptIdOf(response) };
    },
  });
  const resolutions = Object.keys(model?.price.usd ?? {}).flatMap((unit) => unit.split(":")[1] ?? []);
  const form = (
    <>
      <ModelSelect models={models} model={model} choose={choose} />
      <Textarea
        label={t("playground.prompt")}
        autosize
        minRows={3}
        value={wanted.prompt}
        onChange={(event) => setWanted({ ...wanted, prompt: event.currentTarget.value })}
      />
      <Group grow>
        <NumberInput
          label={t("playground.duration")}
          min={1}
          max={30}
          value={wanted.duration}
          onChange={(value) => setWanted({ ...wanted, duration: Number(value) || 5 })}
        />
        <Select
          label={t("playground.resolution")}
          data={resolutions.length > 0 ? [...new Set(resolutions)] : ["480p", "720p", "1080p"]}
          value={wanted.resolution}
          onChange={(value) => setWanted({ ...wanted, resolution: value ?? "720p" })}
          allowDeselect={false}
        />
      </Group>
      <RunRow code={<AsCode path={path} body={body} />} run={make} ready={wanted.prompt !== "" && model !== undefined}>
        {t("playground.film")}
      </RunRow>
    </>
  );
  const result = (
    <>
      {make.error !== null && <Failure error={make.error} />}
      {make.data !== undefined && <Film key={make.data.task.id} of={make.data} />}
      {make.isIdle && <Empty icon={IconMovie} title={t("playground.modes.video")} hint={t("playground.running")} />}
    </>
  );
  return <Workbench form={form} result={result} />;
}
