import { steeringOf } from "../content/steer.ts";
import type { Call, Reply } from "../http/types.ts";
import { captionOf } from "../media/letters.ts";
import { acceptTask } from "../tasks/plan.ts";
import { invalidArk, rejectArk } from "./protocol.ts";
import { checkInputs, inputSeconds, inputsOf, type SeedanceInputs } from "./seedance-inputs.ts";
import { type SeedanceFamily, seedanceFamily } from "./seedance-models.ts";
import { outputOf, type SeedanceOutput, tokensOfVideo } from "./seedance-output.ts";
import { type SeedanceRequest, seedanceFields, seedanceSchema } from "./seedance-schema.ts";
import type { SeedanceFacts } from "./task-body.ts";
import { arkIssue } from "./wording.ts";

function familyOf(call: Call): SeedanceFamily {
  if (call.model === undefined) {
    const message = "The request failed because it is missing the `model` parameter.";
    throw rejectArk({ status: 400, code: "MissingParameter.model", message, param: "model" });
  }
  const family = seedanceFamily(call.model);
  if (family !== undefined) return family;
  const message = `The model or endpoint ${call.model} does not exist or you do not have access to it.`;
  throw rejectArk({ status: 404, code: "InvalidEndpointOrModel.NotFound", message });
}

function requestOf(call: Call): SeedanceRequest {
  const parsed = seedanceSchema.safeParse(call.body);
  if (!parsed.success) throw arkIssue(parsed.error, call.body);
  const unknown = Object.keys(parsed.data).find((field) => !seedanceFields.has(field));
  if (unknown !== undefined && call.faults.strict !== undefined) throw invalidArk(unknown, "it is unknown");
  return parsed.data;
}

function idOf(call: Call): string {
  const stamp = new Date(call.tasks.now()).toISOString().replace(/\D/g, "").slice(0, 14);
  return `cgt-${stamp}-${call.tasks.nextNumber().toString(36).padStart(5, "0")}`;
}

function repeatedOf(request: SeedanceRequest, output: SeedanceOutput, family: SeedanceFamily): object {
  const { service_tier, execution_expires_after, priority, safety_identifier, tools, output_format } = request;
  return {
    service_tier: service_tier ?? "default",
    execution_expires_after: execution_expires_after ?? 172_800,
    ...(family.makesSound && { generate_audio: output.sound }),
    ...(family.drafts && { draft: request.draft ?? false }),
    ...(priority !== undefined && { priority }),
    ...(safety_identifier !== undefined && { safety_identifier }),
    ...(tools !== undefined && { tools }),
    ...(output_format !== undefined && { output_format }),
  };
}

function draftOf(call: Call, inputs: SeedanceInputs): { draft_task_id?: string } {
  const { draftId } = inputs;
  if (draftId === undefined) return {};
  if (call.tasks.find({ provider: "ark", id: draftId, credential: call.credential }) === undefined) {
    throw invalidArk("content.draft_task.id", "the draft task does not exist");
  }
  return { draft_task_id: draftId };
}

/** `POST /contents/generations/tasks` */
export function createSeedance(call: Call): Reply {
  const family = familyOf(call);
  const request = requestOf(call);
  const inputs = inputsOf(request);
  checkInputs(inputs, family, call.model ?? "");
  if (steeringOf(inputs.text).blocked) {
    const message = "The request failed because the input text may contain sensitive information.";
    throw rejectArk({ status: 400, code: "InputTextSensitiveContentDetected", message, param: "content" });
  }
  const output = outputOf(request, { inputs, family, digest: call.digest });
  const secondsIn = inputSeconds(inputs);
  const tokens = tokensOfVideo(output, family, secondsIn);
  const isModerated = call.faults.moderation !== undefined;
  const facts: SeedanceFacts = {
    digest: call.digest,
    caption: captionOf(inputs.text),
    output,
    lastFrame: request.return_last_frame ?? false,
    repeated: { ...repeatedOf(request, output, family), ...draftOf(call, inputs) },
  };
  const task = acceptTask(call, {
    id: idOf(call),
    provider: "ark",
    operation: "videos.tasks.create",
    facts,
    trueUsage: { completion_tokens: tokens, total_tokens: tokens },
    units: {
      tokens,
      seconds: output.duration,
      input_seconds: secondsIn,
      resolution: output.resolution,
      sound: output.sound,
      service_tier: request.service_tier ?? "default",
    },
    failure: isModerated ? moderated : undefined,
    failCode: "InternalServiceError",
    callbackUrl: request.callback_url,
  });
  return { type: "json", status: 200, body: { id: task.id }, responseId: task.id, task: { id: task.id, polls: 0 } };
}

const moderated = {
  code: "OutputVideoSensitiveContentDetected",
  message: "The request failed because the output video may contain sensitive information.",
};
