import type { BodyReader } from "@uag/pipeline/operation/body-reader";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { MediaContext } from "../../context.ts";
import { imageOperation, imageTraits, jobFor, namedModel } from "../operation.ts";
import { openAiFormat } from "../responses/openai.ts";
import { readFields } from "./fields.ts";
import { type Form, readForm } from "./form.ts";
import { readPictures } from "./pictures.ts";

/** The maximum of all models: sixteen images of 50 MB, and a mask. */
const limits = { maxFiles: 17, maxFileBytes: 50 * 1024 * 1024 };

const formBody: BodyReader<Form> = {
  read(exchange, lease) {
    const length = Number(exchange.header("content-length") ?? 0);
    return readForm(exchange.body(), exchange.header("content-type"), { limits, length, lease });
  },
};

/** `POST /v1/images/edits`: a form with images, a prompt and settings. */
export function editImages(context: MediaContext): Operation {
  return imageOperation(context, {
    name: "images.edits",
    body: formBody,
    modelOf: ({ fields }) => namedModel(fields.get("model")),
    read(form, model) {
      imageTraits(model);
      const fields = readFields(form.fields, model);
      const { images, mask } = readPictures(form, model);
      const request = { ...fields, references: images, mask };
      return jobFor(model, { operation: "images.edits", request, format: openAiFormat });
    },
    errorFormat: openAiFormat,
  });
}
