import { ActionIcon, CloseButton, FileButton, Group, Image, Indicator, Tooltip } from "@mantine/core";
import { IconPhotoPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

export const pictureTypes = "image/png,image/jpeg,image/webp";
const maxPictures = 8;

/** A file as a data: URL. */
function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
}

interface Props {
  readonly urls: readonly string[];
  readonly onChange: (urls: readonly string[]) => void;
}

/** Adds images to a message. */
export function AddPictures({ urls, onChange }: Props) {
  const { t } = useTranslation();
  const add = async (files: File[]): Promise<void> => {
    const added = await Promise.all(files.map(dataUrlOf));
    onChange([...urls, ...added].slice(0, maxPictures));
  };
  return (
    <FileButton multiple accept={pictureTypes} onChange={(files) => void add(files)}>
      {(props) => (
        <Tooltip label={t("playground.addImage")}>
          <ActionIcon {...props} variant="default" size="input-sm" aria-label={t("playground.addImage")}>
            <IconPhotoPlus size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </FileButton>
  );
}

/** Thumbnails, which can be removed if `onChange` is given. */
export function Thumbnails({
  urls,
  onChange,
}: {
  readonly urls: Props["urls"];
  readonly onChange?: Props["onChange"];
}) {
  const { t } = useTranslation();
  if (urls.length === 0) return null;
  return (
    <Group gap="sm">
      {urls.map((url, index) => (
        <Indicator
          key={url}
          size={20}
          color="gray"
          disabled={onChange === undefined}
          label={
            <CloseButton
              size={18}
              c="white"
              aria-label={t("playground.removeImage", { number: index + 1 })}
              onClick={() => onChange?.(urls.filter((other) => other !== url))}
            />
          }
        >
          <Image src={url} alt={t("playground.sentImage", { number: index + 1 })} h={64} w="auto" radius="sm" />
        </Indicator>
      ))}
    </Group>
  );
}
