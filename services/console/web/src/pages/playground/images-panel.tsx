import {
  Anchor,
  Group,
  Image,
  Loader,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Model } from "../../api/types.ts";
import { duration } from "../../format/number.ts";
import { useAccountId } from "../../shell/account.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { AsCode } from "./as-code.tsx";
import { Bill } from "./bill.tsx";
import type { CodeOf } from "./code.ts";
import { ask, receiptIdOf } from "./gateway.ts";
import { RunRow } from "./run-row.tsx";
import { ModelSelect, useModelOf, Workbench } from "./workbench.tsx";

interface Wanted {
  readonly prompt: string;
  readonly size: string;
  readonly count: number | "";
  /** Empty for the model's default. */
  readonly quality: string;
}

const unchosen = { size: "", count: "", quality: "" } as const;

/** Values of `quality` by family; others have none. */
const qualities: Readonly<Record<string, readonly string[]>> = {
  gamma: ["low", "medium", "high"],
  delta: ["standard", "hd"],
};

/** The body by the model's family: alpha models have a shape of their own. */
function imageBody(model: Model | undefined, { prompt, size, count, quality }: Wanted): CodeOf["body"] {
  if (model?.image?.family !== "alpha")
    return {
      model: model?.id,
      prompt,
      ...(size !== "" && { size }),
      ...(count !== "" && { n: count }),
      ...(quality !== "" && { quality }),
    };
  return {
    model: model.id,
    input: { messages: [{ role: "user", content: [{ text: prompt }] }] },
    parameters: { ...(size !== "" && { size }) },
  };
}

interface ImageResponse {
  readonly data?: readonly { readonly b64_json?: string; readonly url?: string }[];
  readonly output_format?: string;
  readonly output?: {
    readonly choices: readonly { readonly message: { readonly content: readonly { readonly image?: string }[] } }[];
  };
}

/** The images of a response, in any family's shape, as addresses. */
function imagesOf({ data = [], output, output_format = "png" }: ImageResponse): string[] {
  const nested = output?.choices.flatMap(({ message }) => message.content.flatMap(({ image }) => image ?? [])) ?? [];
  return [
    ...data.flatMap(({ b64_json, url }) => (b64_json ? `data:image/${output_format};base64,${b64_json}` : (url ?? []))),
    ...nested,
  ];
}

export interface Made {
  readonly images: readonly string[];
  readonly prompt: string;
  readonly tookMs: number;
  readonly requestId: string | null;
}

/** Sends a request for images and reads what comes. */
export async function makeImages(
  path: string,
  body: object | FormData,
  account: string | undefined,
  prompt: string,
): Promise<Made> {
  const startedAt = performance.now();
  const response = await ask({ path, body, account });
  const images = imagesOf((await response.json()) as ImageResponse);
  const tookMs = Math.round(performance.now() - startedAt);
  return { images, prompt, tookMs, requestId: receiptIdOf(response) };
}

export function ImageResult({
  of: made,
  pending,
  error,
}: {
  readonly of: Made | undefined;
  readonly pending: boolean;
  readonly error: Error | null;
}) {
  const { t } = useTranslation();
  if (pending)
    return (
      <Group justify="center" py="xl" aria-live="polite">
        <Loader size="sm" /> <Text size="sm">{t("playground.making")}</Text>
      </Group>
    );
  if (error !== null) return <Failure error={error} />;
  if (made === undefined)
    return <Empty icon={IconPhoto} title={t("playground.modes.images")} hint={t("playground.about")} />;
  return (
    <Stack gap="sm">
      {made.images.length === 0 && <Text size="sm">{t("playground.noImage")}</Text>}
      <SimpleGrid cols={made.images.length > 1 ? 2 : 1}>
        {made.images.map((src) => (
          <Image
            key={src}
            src={src}
            alt={t("playground.image", { prompt: made.prompt })}
            radius="md"
            fit="contain"
            mah={560}
          />
        ))}
      </SimpleGrid>
      <Group gap="xs" fz="xs" c="dimmed">
        <span>{t("playground.took", { time: duration(made.tookMs) })}</span>
        <Bill requestId={made.requestId} />
        {made.images.map((src, index) => (
          <Anchor key={src} href={src} download={`image-${index + 1}`} size="xs" target="_blank" rel="noreferrer">
            {t("common.download")}
            {made.images.length > 1 && ` ${index + 1}`}
          </Anchor>
        ))}
      </Group>
    </Stack>
  );
}

interface SizeProps {
  readonly of: Model | undefined;
  /** Empty for the model's default. */
  readonly value: string;
  readonly onChange: (size: string) => void;
}

/** The sizes that a model lists; free text for one that accepts any. */
function SizeInput({ of: model, value, onChange }: SizeProps) {
  const { t } = useTranslation();
  const sizes = model?.image?.sizes ?? [];
  const shared = { label: t("playground.size"), value } as const;
  if (sizes.length === 0)
    return <TextInput {...shared} placeholder="1024x1024" onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <Select
      {...shared}
      placeholder={t("playground.usual")}
      data={sizes}
      value={sizes.includes(value) ? value : null}
      onChange={(size) => onChange(size ?? "")}
      clearable
    />
  );
}

/** How many images, and of what quality, where the model has the choice. */
function Amount({
  of: model,
  wanted,
  onChange,
}: {
  of: Model | undefined;
  wanted: Wanted;
  onChange: (to: Wanted) => void;
}) {
  const { t } = useTranslation();
  const most = model?.image?.max_images ?? 1;
  const offered = qualities[model?.image?.family ?? ""] ?? [];
  return (
    <>
      {most > 1 && (
        <NumberInput
          label={t("playground.count")}
          placeholder="1"
          min={1}
          max={most}
          allowDecimal={false}
          value={wanted.count}
          onChange={(value) => onChange({ ...wanted, count: typeof value === "number" ? value : "" })}
        />
      )}
      {offered.length > 0 && (
        <Select
          label={t("playground.quality")}
          placeholder={t("playground.usual")}
          data={[...offered]}
          value={wanted.quality === "" ? null : wanted.quality}
          onChange={(quality) => onChange({ ...wanted, quality: quality ?? "" })}
          clearable
        />
      )}
    </>
  );
}

/** Images from a prompt. */
export function ImagesPanel() {
  const { t } = useTranslation();
  const account = useAccountId();
  const { models, model, choose } = useModelOf("images.generations");
  const [wanted, setWanted] = useState<Wanted>({ prompt: "", ...unchosen });
  const body = imageBody(model, wanted);
  const make = useMutation({ mutationFn: () => makeImages("/v1/images/generations", body, account, wanted.prompt) });
  const form = (
    <>
      <ModelSelect
        models={models}
        model={model}
        choose={(id) => {
          choose(id);
          // Another model may not offer the size or the quality.
          setWanted({ ...wanted, ...unchosen });
        }}
      />
      <Textarea
        label={t("playground.prompt")}
        autosize
        minRows={3}
        value={wanted.prompt}
        onChange={(event) => setWanted({ ...wanted, prompt: event.currentTarget.value })}
      />
      <SizeInput of={model} value={wanted.size} onChange={(size) => setWanted({ ...wanted, size })} />
      <Amount of={model} wanted={wanted} onChange={setWanted} />
      <RunRow
        code={<AsCode path="/v1/images/generations" body={body} />}
        run={make}
        ready={wanted.prompt !== "" && model !== undefined}
      >
        {t("playground.make")}
      </RunRow>
    </>
  );
  return <Workbench form={form} result={<ImageResult of={make.data} pending={make.isPending} error={make.error} />} />;
}
