import { randomInt } from "node:crypto";
import type { Model } from "@uag/catalog/types";
import { happyInput, type Mode, type WanInput, wanInput } from "@uag/contract/requests/wan-input";
import type { Fields } from "@uag/pipeline/request/body";
import { refusedField, unclassedField } from "@uag/providers/passed-fields/check";
import { videoFieldCosts } from "@uag/providers/passed-fields/media";
import { checked } from "@uag/untrusted/schema-fault";
import { z } from "zod";
import { pricedResolutions } from "../price.ts";
import type { Terms } from "../store/task.ts";
import {
  checkResolution,
  checkSeconds,
  defaultRatio,
  defaultResolution,
  defaultSeconds,
  invalid,
  optionalText,
  seedIn,
  type VideoRequestFields,
} from "./family.ts";
import { wanParameters } from "./wan-parameters.ts";

interface Kind {
  readonly mode: Mode;
  readonly input: z.ZodType<WanInput>;
  readonly seconds: readonly [min: number, max: number];
  /** The allowed lengths, if not every one within the range is. */
  readonly onlySeconds?: readonly number[];
  readonly reports: "resolution" | "size";
  readonly ratios: readonly string[];
  readonly durationRequired: boolean;
  /** The model has a silent, cheaper variant. */
  readonly silent: boolean;
  /** Parameters of other models of this line that this one lacks: a task with them would fail. */
  readonly lacks: readonly string[];
}

const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"];
const newerRatios = [...ratios, "4:5", "5:4", "21:9", "9:21"];
/** Model Studio's limit for all video models. */
const maxSeed = 2_147_483_647;
/**
 * Longest reference clip billed in addition to the output, seconds (Model Studio, reference to
 * video).
 */
const maxClipLength = 10;

/** What a Wan or HappyHorse model accepts, derived from the provider's model name. */
function kindOf(upstreamModel: string): Kind {
  const wan = /^wan(2\.\d)-(t2v|i2v|r2v)/.exec(upstreamModel);
  if (wan !== null) {
    const version = wan[1] as string;
    const mode = wan[2] as Mode;
    const takesMedia = version !== "2.5" && version !== "2.6";
    return {
      mode,
      input: wanInput(mode, takesMedia),
      seconds: mode === "r2v" && !takesMedia ? [2, 10] : version === "2.5" ? [5, 10] : [2, 15],
      ...(version === "2.5" && { onlySeconds: [5, 10] }),
      reports: takesMedia || mode === "i2v" ? "resolution" : "size",
      ratios,
      durationRequired: true,
      silent: upstreamModel.includes("-flash"),
      lacks: [...(upstreamModel.includes("-flash") ? [] : ["audio"]), ...(version === "2.6" ? [] : ["shot_type"])],
    };
  }
  const mode = (/-(t2v|i2v|r2v|video-edit)/.exec(upstreamModel)?.[1] ?? "t2v") as Mode;
  return {
    mode,
    input: happyInput(mode),
    seconds: [3, 15],
    reports: "resolution",
    ratios: upstreamModel.startsWith("happyhorse-1.0") ? ratios : newerRatios,
    durationRequired: false,
    silent: false,
    lacks: ["audio", "shot_type"],
  };
}

/**
 * Reads a request for a Wan or HappyHorse model. The top-level fields determine what is billed;
 * `input` and `parameters` go to the provider unchanged, except that billed values and a seed are
 * filled in where `parameters` lacks them. Parameters the model does not support are left out, and
 * listed in `omitted`.
 */
export function readWan(
  fields: Fields,
  { model, upstreamModel }: { model: Model; upstreamModel: string },
): VideoRequestFields {
  checkParameters(fields["parameters"]);
  const kind = kindOf(upstreamModel);
  const seconds = secondsOf(fields, kind);
  const resolution = checkResolution(optionalText(fields, "resolution") ?? defaultResolution, pricedResolutions(model));
  const requested = optionalText(fields, "aspect_ratio");
  if (requested !== undefined && !kind.ratios.includes(requested)) {
    throw invalid("aspect_ratio", `aspect_ratio: must be one of ${kind.ratios.join(", ")}.`);
  }
  const input = inputOf(fields, kind);
  const given = withoutNulls(objectOf(fields, "parameters"));
  const omitted = kind.lacks.filter((name) => given[name] !== undefined);
  checkShotType(given);
  const seed = seedIn(given["seed"]) ?? randomInt(maxSeed + 1);
  const aspectRatio = requested ?? defaultRatio;
  const takesRatio = kind.mode === "t2v" || kind.mode === "r2v";
  const wanted = { resolution, aspectRatio, ratioRequested: requested !== undefined };
  const parameters = wanParameters(
    Object.fromEntries(Object.entries({ seed, ...given }).filter(([name]) => !kind.lacks.includes(name))),
    { ...wanted, seconds: kind.mode === "video-edit" ? undefined : seconds },
    { reports: kind.reports, takesRatio },
  );
  checkClips(seconds, input, kind);
  const terms: Terms = {
    seconds,
    inputSeconds: clipsOf(input) * maxClipLength,
    resolution,
    aspectRatio,
    variants: kind.silent && given["audio"] === false ? ["silent"] : [],
  };
  const body = { input: fields["input"] as Fields, parameters };
  return { terms, body, prompt: input.prompt ?? "", drafts: [], seed, omitted };
}

/** The provider receives all parameters, so that each must have a bound. */
function checkParameters(parameters: unknown): void {
  const unknown = unclassedField({ parameters }, videoFieldCosts.wan);
  if (unknown !== undefined) throw refusedField(unknown, "is a parameter whose cost the gateway does not know");
}

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function checkShotType({ shot_type: type }: Fields): void {
  if (type === undefined || type === "single" || type === "multi") return;
  throw invalid("parameters.shot_type", "parameters.shot_type: must be single or multi.");
}

function secondsOf(fields: Fields, kind: Kind): number {
  const { duration } = fields;
  if (kind.durationRequired && (duration === undefined || duration === null))
    throw invalid("duration", "duration: is required.");
  const seconds = checkSeconds(duration ?? defaultSeconds, kind.seconds);
  if (kind.onlySeconds !== undefined && !kind.onlySeconds.includes(seconds)) {
    throw invalid("duration", `duration: must be ${kind.onlySeconds.join(" or ")}.`);
  }
  return seconds;
}

function inputOf(fields: Fields, kind: Kind): WanInput {
  return checked(z.object({ input: kind.input }), fields).input;
}

function objectOf(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Fields;
  throw invalid(name, `${name}: must be an object.`);
}

const videoFile = /\.(mp4|mov|webm|mkv|avi)(\?|#|$)/i;

/** Counts input videos, which the provider bills by their length. */
function clipsOf(input: WanInput): number {
  const media = input.media?.filter(({ type }) => type === "reference_video" || type === "video").length ?? 0;
  const listed = input.reference_urls?.filter((url) => videoFile.test(url)).length ?? 0;
  return media + listed + (input.reference_video_urls?.length ?? 0);
}

/**
 * With a reference clip the newest models are limited to 10 s (Model Studio, reference to video).
 */
function checkClips(seconds: number, input: WanInput, kind: Kind): void {
  if (kind.mode !== "r2v" || seconds <= 10 || clipsOf(input) === 0) return;
  throw invalid("duration", "duration: must be at most 10 with a reference video.");
}
