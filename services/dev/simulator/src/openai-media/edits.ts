import { Form } from "../http/form.ts";
import type { Call, Reply } from "../http/types.ts";
import { rejectOpenAi } from "../openai/protocol.ts";
import { checkMask, editImages } from "./edit-files.ts";
import { imageModelOf } from "./generations.ts";
import { checkImageRequest, unknownParameter, wrongBody } from "./image-checks.ts";
import { respondImages } from "./image-response.ts";
import { editSchema, valuesOf } from "./image-schema.ts";

const usualModel = "gpt-image-1.5";
const knownFields = new Set(Object.keys(editSchema.shape));
const knownFiles = new Set(["image", "image[]", "mask"]);

/** `POST /v1/images/edits`, a multipart form */
export async function openAiImageEdits(call: Call): Promise<Reply> {
  const form = call.body instanceof Form ? call.body : new Form({}, []);
  const values = valuesOf(form.fields);
  for (const name of knownFiles) {
    if (!(name in values)) continue;
    const message = `Invalid type for '${name}': expected a file, but got a string instead.`;
    throw rejectOpenAi({ status: 400, message, param: name, code: "invalid_type" });
  }
  const parsed = editSchema.safeParse(values);
  if (!parsed.success) throw wrongBody(parsed.error, values);
  const request = parsed.data;
  const names = [...Object.keys(request), ...form.files.map(({ field }) => field)];
  const unknown = names.find((name) => !knownFields.has(name) && !knownFiles.has(name));
  if (unknown !== undefined) throw unknownParameter(unknown);
  const model = imageModelOf(call.model ?? usualModel);
  if (!model.edits) {
    const message = `Value must be 'dall-e-2' or a gpt-image model.`;
    throw rejectOpenAi({ status: 400, message, param: "model", code: "invalid_value" });
  }
  const inputs = await editImages(form, model);
  await checkMask(form, inputs[0]);
  // Both kinds of model accept "standard" here, as the name of their default quality.
  const { quality, ...others } = request;
  const checked = quality === "standard" ? others : request;
  checkImageRequest(call, checked, model);
  return respondImages({ call, request: checked, model, inputs, eventPrefix: "image_edit" });
}
