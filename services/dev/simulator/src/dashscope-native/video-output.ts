import type { Usage } from "../usage.ts";
import { InputFault } from "./video-inputs.ts";
import { ratioOfSize, sizeOfRatio, tierOfSize, type VideoModel, videoRatios } from "./video-models.ts";
import type { VideoRequest } from "./video-schema.ts";

/** The output of a task. */
export interface VideoOutput {
  readonly width: number;
  readonly height: number;
  /** 480, 720 or 1080. */
  readonly tier: number;
  readonly ratio: string;
  readonly seconds: number;
  readonly sound: boolean;
}

/** Frames per second of these videos. */
const wanFps = 30;

const laterRatios = [...videoRatios, "4:5", "5:4", "21:9", "9:21"];

function secondsOf(requested: number | undefined, model: VideoModel): number {
  const seconds = requested ?? 5;
  const { seconds: allowed } = model;
  const isAllowed =
    "listed" in allowed
      ? allowed.listed.includes(seconds)
      : Number.isInteger(seconds) && seconds >= allowed.min && seconds <= allowed.max;
  if (isAllowed) return seconds;
  const range = "listed" in allowed ? allowed.listed.join(", ") : `${allowed.min} to ${allowed.max}`;
  throw new InputFault(`The duration must be ${range}: parameters.duration`);
}

interface Frame {
  readonly size: string;
  readonly tier: number;
  readonly ratio: string;
}

function frameBySize(size: string, model: VideoModel): Frame {
  const tier = tierOfSize(size, model.tiers);
  if (tier === undefined) throw new InputFault("The size is not match the allowed size: parameters.size");
  return { size, tier, ratio: ratioOfSize(size, tier) };
}

function frameOf({ parameters = {} }: VideoRequest, model: VideoModel): Frame {
  if (model.bySize) return frameBySize(parameters.size ?? "1920*1080", model);
  const resolution = parameters.resolution ?? "1080P";
  const tier = model.tiers.find((known) => resolution === `${known}P`);
  if (tier === undefined) {
    const known = model.tiers.map((value) => `${value}P`).join(", ");
    throw new InputFault(`The resolution must be ${known}: parameters.resolution`);
  }
  const takesRatio = model.version !== "2.5" && model.version !== "2.6" && model.task !== "i2v";
  const ratio = takesRatio ? (parameters.ratio ?? "16:9") : "16:9";
  const known = model.version === "happyhorse" ? laterRatios : videoRatios;
  if (!known.includes(ratio)) throw new InputFault(`The ratio must be ${known.join(", ")}: parameters.ratio`);
  return { size: sizeOfRatio(tier, ratio), tier, ratio };
}

function checkSwitches({ parameters = {} }: VideoRequest, model: VideoModel): void {
  if (parameters.audio !== undefined && !model.flash && model.version !== "2.5") {
    throw new InputFault("The audio parameter is not supported by this model: parameters.audio");
  }
  if (parameters.shot_type !== undefined && model.version !== "2.6") {
    throw new InputFault("The shot_type parameter is not supported by this model: parameters.shot_type");
  }
  if (!model.bySize && parameters.size !== undefined) {
    throw new InputFault("The size parameter is not supported by this model: parameters.size");
  }
}

/** Decides size, length and audio. An edited video is as long as its input. Throws InputFault. */
export function outputOf(request: VideoRequest, model: VideoModel, secondsIn: number): VideoOutput {
  checkSwitches(request, model);
  const { size, tier, ratio } = frameOf(request, model);
  const [width = 1920, height = 1080] = size.split("*").map(Number);
  const seconds =
    model.task === "edit" ? Math.max(1, Math.round(secondsIn)) : secondsOf(request.parameters?.duration, model);
  const sound = !(model.flash && request.parameters?.audio === false);
  return { width, height, tier, ratio, seconds, sound };
}

/** Usage in the format of the model's version; input and output seconds add up to `duration`. */
export function wanVideoUsage(output: VideoOutput, model: VideoModel, secondsIn: number): Usage {
  const { width, height, tier, ratio, seconds } = output;
  const size = `${width}*${height}`;
  if (model.usage === "ratio") {
    const place = model.task === "i2v" ? { SR: tier } : { video_ratio: size };
    return { video_count: 1, video_duration: seconds, ...place };
  }
  const common = {
    duration: seconds + secondsIn,
    input_video_duration: secondsIn,
    output_video_duration: seconds,
    video_count: 1,
    SR: tier,
  };
  if (model.usage === "happyhorse") return { ...common, ratio };
  if (model.usage === "seconds") return { ...common, ratio, fps: wanFps, size };
  return {
    ...common,
    ...(model.task !== "i2v" && { size }),
    ...(model.flash && { audio: output.sound }),
  };
}
