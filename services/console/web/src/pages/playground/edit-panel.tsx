import { Button, FileInput, Group, Slider, Stack, Text, Textarea } from "@mantine/core";
import { IconBrush, IconPhotoUp } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type RefObject, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccountId } from "../../shell/account.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { AsCode } from "./as-code.tsx";
import { ImageResult, makeImages } from "./images-panel.tsx";
import { MaskCanvas, maskOf } from "./mask-canvas.tsx";
import { pictureTypes } from "./pictures.tsx";
import { RunRow } from "./run-row.tsx";
import { ModelSelect, useModelOf, Workbench } from "./workbench.tsx";

const path = "/v1/images/edits";

/** The edited image, and its painted area. */
interface Edited {
  readonly file: File;
  readonly picture: ImageBitmap;
  readonly painted: boolean;
}

interface PainterProps {
  readonly edited: Edited;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly onPainted: (painted: boolean) => void;
}

function Painter({ edited, canvas, onPainted }: PainterProps) {
  const { t } = useTranslation();
  const [brush, setBrush] = useState(10);
  const clear = (): void => {
    canvas.current?.getContext("2d")?.reset();
    onPainted(false);
  };
  return (
    <Stack gap="sm" mb="md">
      <MaskCanvas
        key={edited.file.name + edited.file.lastModified}
        picture={edited.picture}
        brush={brush / 100}
        canvas={canvas}
        onPainted={() => onPainted(true)}
      />
      <Group gap="sm" justify="center">
        <IconBrush size={16} aria-hidden />
        <Slider
          w={160}
          min={2}
          max={40}
          value={brush}
          onChange={setBrush}
          label={(value) => `${value}%`}
          thumbLabel={t("playground.brush")}
        />
        <Button size="xs" variant="subtle" color="gray" disabled={!edited.painted} onClick={clear}>
          {t("playground.reset")}
        </Button>
      </Group>
      <Text size="xs" c="dimmed" ta="center">
        {t(edited.painted ? "playground.maskHint" : "playground.noMask")}
      </Text>
    </Stack>
  );
}

/** Everything that is put in before an edit, and the call that it makes. */
function useEdit() {
  const account = useAccountId();
  const { models, model, choose } = useModelOf("images.edits");
  const [prompt, setPrompt] = useState("");
  const [edited, setEdited] = useState<Edited>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const open = useMutation({
    mutationFn: async (file: File | null) =>
      setEdited(file === null ? undefined : { file, picture: await createImageBitmap(file), painted: false }),
  });
  const make = useMutation({
    mutationFn: async () => {
      const form = new FormData();
      form.set("model", model?.id ?? "");
      form.set("prompt", prompt);
      if (edited !== undefined) form.set("image", edited.file);
      if (edited?.painted && canvas.current !== null) form.set("mask", await maskOf(canvas.current), "mask.png");
      return await makeImages(path, form, account, prompt);
    },
  });
  const setPainted = (painted: boolean): void => setEdited((now) => now && { ...now, painted });
  return { models, model, choose, prompt, setPrompt, edited, setPainted, canvas, open, make };
}

/** Edits an image by a prompt, in whole or in its painted area. */
export function EditPanel() {
  const { t } = useTranslation();
  const { models, model, choose, prompt, setPrompt, edited, setPainted, canvas, open, make } = useEdit();
  const files = { image: edited?.file.name ?? "image.png", ...(edited?.painted && { mask: "mask.png" }) };
  const form = (
    <>
      <ModelSelect models={models} model={model} choose={choose} />
      <FileInput
        label={t("playground.upload")}
        description={t("playground.uploadHint")}
        placeholder={t("playground.choose")}
        accept={pictureTypes}
        leftSection={<IconPhotoUp size={16} />}
        value={edited?.file ?? null}
        onChange={(file) => open.mutate(file)}
        clearable
      />
      {open.error !== null && <Failure error={open.error} />}
      <Textarea
        label={t("playground.prompt")}
        autosize
        minRows={3}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <RunRow
        code={<AsCode path={path} body={{ model: model?.id, prompt }} files={files} />}
        run={make}
        ready={edited !== undefined && prompt !== "" && model !== undefined}
      >
        {t("playground.edit")}
      </RunRow>
    </>
  );
  const result = (
    <>
      {edited !== undefined && <Painter edited={edited} canvas={canvas} onPainted={setPainted} />}
      {edited === undefined && make.isIdle ? (
        <Empty icon={IconPhotoUp} title={t("playground.modes.edit")} hint={t("playground.uploadHint")} />
      ) : (
        !make.isIdle && <ImageResult of={make.data} pending={make.isPending} error={make.error} />
      )}
    </>
  );
  return <Workbench form={form} result={result} />;
}
