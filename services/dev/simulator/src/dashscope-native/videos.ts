import { steeringOf } from "../content/steer.ts";
import { uuidOf } from "../content/uuid.ts";
import type { Call, Reply } from "../http/types.ts";
import { acceptTask } from "../tasks/plan.ts";
import { invalidParameter, rejectNative, requestIdFields } from "./protocol.ts";
import { InputFault, inputSeconds } from "./video-inputs.ts";
import { type VideoModel, videoModel } from "./video-models.ts";
import { outputOf, type VideoOutput, wanVideoUsage } from "./video-output.ts";
import { type VideoRequest, videoSchema } from "./video-schema.ts";
import { nativeWording } from "./wording.ts";

/** Additional state of a video task. */
export interface WanFacts {
  readonly digest: string;
  readonly prompt: string | undefined;
  readonly actualPrompt: string | undefined;
  /** Absent when the task fails. */
  readonly output: VideoOutput | undefined;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}
interface Outcome {
  readonly output?: VideoOutput;
  readonly secondsIn: number;
  readonly failure?: Failure;
}

function modelOf(call: Call): VideoModel {
  if (call.model === undefined)
    throw rejectNative({ status: 400, code: "BadRequest.EmptyModel", message: "Model is empty." });
  const model = videoModel(call.model);
  if (model !== undefined) return model;
  throw rejectNative({ status: 404, code: "ModelNotFound", message: "Model not exist." });
}

function checkPrompt({ input }: VideoRequest, model: VideoModel): void {
  const { prompt, negative_prompt: negative = "", template } = input;
  const isNeeded = model.task !== "i2v" && template === undefined;
  if (isNeeded && (prompt === undefined || prompt.trim() === "")) throw new InputFault("Field required: input.prompt");
  if ((prompt ?? "").length > model.maxPromptLength) {
    throw new InputFault(`Range of prompt length should be [1, ${model.maxPromptLength}]: input.prompt`);
  }
  if (negative.length > 500) throw new InputFault("Range of negative_prompt length should be [1, 500]");
  if (steeringOf(prompt ?? "").blocked) {
    throw new InputFault("Input data may contain inappropriate content.", "DataInspectionFailed");
  }
}

// Most field errors are found by the task rather than by the request that creates it.
function outcomeOf(call: Call, request: VideoRequest, model: VideoModel): Outcome {
  try {
    checkPrompt(request, model);
    const secondsIn = inputSeconds(request, model);
    const output = outputOf(request, model, secondsIn);
    if (call.faults.moderation === undefined) return { output, secondsIn };
    const message = "Output data may contain inappropriate content.";
    return { output, secondsIn, failure: { code: "DataInspectionFailed", message } };
  } catch (cause) {
    if (!(cause instanceof InputFault)) throw cause;
    return { secondsIn: 0, failure: { code: cause.code, message: cause.message } };
  }
}

/**
 * `POST /api/v1/services/aigc/video-generation/video-synthesis` with `X-DashScope-Async: enable`
 */
export function createVideo(call: Call): Reply {
  if (call.headers["x-dashscope-async"] !== "enable") {
    const message = "current user api does not support synchronous calls";
    throw rejectNative({ status: 403, code: "AccessDenied", message });
  }
  const model = modelOf(call);
  const parsed = videoSchema.safeParse(call.body);
  if (!parsed.success) throw invalidParameter(nativeWording(parsed.error, call.body));
  const request = parsed.data;
  const { output, secondsIn, failure } = outcomeOf(call, request, model);
  const { prompt } = request.input;
  const isExtended = model.version === "2.5" && request.parameters?.prompt_extend !== false;
  const actualPrompt = isExtended && prompt !== undefined ? `${prompt}, in fine detail` : undefined;
  const facts: WanFacts = { digest: call.digest, prompt, actualPrompt, output };
  const units = output === undefined ? {} : unitsOf(output, secondsIn);
  const task = acceptTask(call, {
    id: uuidOf(call.digest, call.tasks.nextNumber()),
    provider: "dashscope",
    operation: "videos.tasks.create",
    facts,
    trueUsage: output === undefined ? {} : wanVideoUsage(output, model, secondsIn),
    units,
    failure,
    failCode: "InternalError.Algo",
  });
  const body = { output: { task_id: task.id, task_status: "PENDING" } };
  const reported = { id: task.id, polls: 0 };
  return { type: "json", status: 200, body, responseId: task.id, task: reported, requestIdFields };
}

function unitsOf({ seconds, tier, sound }: VideoOutput, secondsIn: number): NonNullable<Reply["units"]> {
  return { seconds: seconds + secondsIn, resolution: `${tier}P`, sound };
}
