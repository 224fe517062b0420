import { type ImageInfo, imageInfo } from "../content/image-size.ts";
import type { Form, FormPart } from "../http/form.ts";
import { decodes, pngKind } from "../media/image.ts";
import { rejectOpenAi } from "../openai/protocol.ts";
import type { ImageModel } from "./image-models.ts";

const mebibyte = 1024 * 1024;
const limits = { images: 16, imageMib: 50, pngMib: 4 };

function mimeFault(file: FormPart, name: string, supported: readonly string[]): void {
  if (supported.includes(file.type)) return;
  const quoted = supported.map((type) => `'${type}'`);
  const list = quoted.length === 1 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`;
  const message = `Invalid file '${name}': unsupported mimetype ('${file.type}'). Supported file formats are ${list}.`;
  throw rejectOpenAi({
    status: 400,
    message,
    param: file.field === "mask" ? "mask" : "image",
    code: "unsupported_file_mimetype",
  });
}

function sizeFault(file: FormPart, name: string, mebibytes: number): void {
  if (file.bytes.length < mebibytes * mebibyte) return;
  const message = `Invalid file '${name}': file is too large. The maximum size is ${mebibytes} MB.`;
  throw rejectOpenAi({ status: 400, message, param: file.field === "mask" ? "mask" : "image", code: "file_too_large" });
}

async function decoded(file: FormPart, message: string, code: string): Promise<ImageInfo> {
  const info = imageInfo(file.bytes);
  const isKnown = info !== undefined && info.mimeType !== "image/gif";
  if (isKnown && (await decodes(file.bytes))) return info;
  throw rejectOpenAi({ status: 400, message, param: code === "invalid_image_file" ? "" : null, code });
}

/** The images of an edit in the order of their parts, validated by content rather than by name. */
export async function editImages(form: Form, model: ImageModel): Promise<ImageInfo[]> {
  const files = form.files.filter(({ field }) => field === "image" || field === "image[]");
  const isList = files.some(({ field }) => field === "image[]");
  if (files.length === 0) {
    throw rejectOpenAi({
      status: 400,
      message: "Missing required parameter: 'image'.",
      param: "image",
      code: "missing_required_parameter",
    });
  }
  const isFirst = model.kind === "dall-e-2";
  const max = isFirst ? 1 : limits.images;
  if (files.length > max) {
    const message = `Invalid 'image': array too long. Expected an array with maximum length ${max}, but got an array with length ${files.length} instead.`;
    throw rejectOpenAi({ status: 400, message, param: "image", code: "array_above_max_length" });
  }
  const supported = isFirst ? ["image/png"] : ["image/jpeg", "image/png", "image/webp"];
  const infos: ImageInfo[] = [];
  for (const [i, file] of files.entries()) {
    const name = isList ? `image[${i}]` : "image";
    mimeFault(file, name, supported);
    sizeFault(file, name, isFirst ? limits.pngMib : limits.imageMib);
    const message = `Invalid image file or mode for image ${i + 1}, please check your image file.`;
    infos.push(await decoded(file, message, "invalid_image_file"));
  }
  const [only] = infos;
  if (isFirst && only !== undefined && only.width !== only.height) {
    throw rejectOpenAi({
      status: 400,
      message: "Uploaded image must be square.",
      param: "image",
      code: "invalid_image_file",
    });
  }
  return infos;
}

/** Rejects a mask that does not match the first image. */
export async function checkMask(form: Form, first: ImageInfo | undefined): Promise<void> {
  const mask = form.files.find(({ field }) => field === "mask");
  if (mask === undefined) return;
  mimeFault(mask, "mask", ["image/png"]);
  sizeFault(mask, "mask", limits.pngMib);
  const code = "invalid_mask_image_format";
  const wrong = "Invalid mask image format";
  const info = await decoded(mask, `${wrong} - mask is not a valid image`, code);
  const { alpha, colours } = pngKind(mask.bytes);
  const isOther = info.mimeType !== "image/png" || info.width !== first?.width || info.height !== first.height;
  if (isOther || !colours) {
    throw rejectOpenAi({ status: 400, message: `${wrong} - mask size does not match image size`, code });
  }
  if (!alpha) throw rejectOpenAi({ status: 400, message: `${wrong} - mask image missing alpha channel`, code });
}
