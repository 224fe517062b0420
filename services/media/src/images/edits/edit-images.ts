import type { Operation } from "@uag/pipeline/operation/operation";
import { type FormLimits, formBody } from "@uag/pipeline/request/form";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import type { MediaContext } from "../../context.ts";
import { imageOperation, imageTraits, jobFor, namedModel } from "../operation.ts";
import { openAiFormat } from "../responses/openai.ts";
import { readFields } from "./fields.ts";
import { isFileField, readPictures } from "./pictures.ts";

const maxFileBytes = 50 * 1024 * 1024;

/** The maximum of all models: sixteen images of 50 MB, and a mask. */
const limits: FormLimits = {
  maxFiles: 17,
  maxFileBytes,
  lone: {
    field: "image",
    // A mask of at most 4 MiB, and fields.
    besideBytes: 5 * 1024 * 1024,
    tooLarge: `The image is larger than ${maxFileBytes} bytes. (Send several images as image[].)`,
  },
};

/** `POST /v1/images/edits`: a form with images, a prompt and settings. */
export function editImages(context: MediaContext): Operation {
  return imageOperation(context, {
    name: "images.edits",
    body: formBody(limits, isFileField),
    modelOf: ({ fields }) => namedModel(fields.get("model")),
    fieldsOf: ({ fields }) => ({ sent: Object.fromEntries(fields), known: fieldCosts["images.edits"] }),
    read(form, model) {
      imageTraits(model);
      const fields = readFields(form.fields, model);
      const { images, mask } = readPictures(form, model, context.guarded);
      const request = { ...fields, references: images, mask };
      return jobFor(model, { operation: "images.edits", request, format: openAiFormat });
    },
    errorFormat: openAiFormat,
  });
}
