import { type Probe, probe } from "../media/probe.ts";
import type { VideoModel } from "./video-models.ts";
import type { VideoRequest } from "./video-schema.ts";

/** An input error that the provider only finds when the task runs. */
export class InputFault extends Error {
  readonly code: string;
  constructor(message: string, code = "InvalidParameter") {
    super(message);
    this.code = code;
  }
}

const unknownVideoSeconds = 5;

function reach(url: string, field: string): Probe {
  const found = probe(url);
  if (found.kind === "not-a-url") throw new InputFault(`url error, please check url！ ${field}`, "InvalidURL");
  if (found.kind === "broken") throw new InputFault(`Invalid image format or corrupted file: ${field}`);
  if (found.kind === "unreachable") {
    const message = "Unable to download the media resource during the data inspection process.";
    throw new InputFault(message, "InvalidParameter.DataInspection");
  }
  return found;
}

function secondsOf(videos: readonly Probe[]): number {
  let seconds = 0;
  for (const video of videos) seconds += video.kind === "video" ? video.seconds : unknownVideoSeconds;
  return seconds;
}

function references({ input }: VideoRequest): Probe[] {
  const urls = input.reference_urls ?? input.reference_video_urls ?? [];
  if (urls.length === 0) throw new InputFault("Field required: input.reference_urls");
  if (urls.length > 5) throw new InputFault("The number of reference_urls must be 1 to 5.");
  const isVideo = (url: string) => probe(url).kind === "video" || /\.(mp4|mov)(\?|$)/i.test(url);
  const videos = urls.filter(isVideo);
  if (videos.length > 3) throw new InputFault("The number of reference videos must be 0 to 3.");
  for (const url of urls) reach(url, "input.reference_urls");
  return videos.map(probe);
}

interface Counts {
  readonly [type: string]: number;
}

function checkMedia(count: Counts, { task, version }: VideoModel): void {
  const { first_frame: first = 0, last_frame: last = 0, first_clip: clip = 0, video = 0 } = count;
  const pictures = count["reference_image"] ?? 0;
  const clips = count["reference_video"] ?? 0;
  const isHorse = version === "happyhorse";
  if (task === "i2v") {
    if (first + clip !== 1) throw new InputFault("Field required: input.media with one first_frame or first_clip");
    if (isHorse && (clip > 0 || last > 0)) throw new InputFault("input.media must hold exactly one first_frame.");
    if (last > 1 || pictures + clips > 0) throw new InputFault("The combination of input.media is not supported.");
  }
  if (task === "r2v") {
    const max = isHorse ? 9 : 5;
    if (pictures + clips < 1 || pictures + clips > max) {
      throw new InputFault(`The number of references in input.media must be 1 to ${max}.`);
    }
    if (isHorse && clips > 0) throw new InputFault("input.media must hold reference_image only.");
  }
  if (task === "edit" && (video !== 1 || pictures > 5)) {
    throw new InputFault("input.media must hold one video and at most 5 reference_image.");
  }
}

function mediaSeconds(request: VideoRequest, model: VideoModel): number {
  const media = request.input.media ?? [];
  if (model.task === "t2v") return 0;
  if (media.length === 0) throw new InputFault("Field required: input.media");
  const count: Record<string, number> = {};
  for (const { type } of media) count[type] = (count[type] ?? 0) + 1;
  checkMedia(count, model);
  const probed = media.map(({ type, url }) => ({ type, found: reach(url, "input.media") }));
  const counted = probed.filter(({ type }) => type === "reference_video" || type === "video");
  return secondsOf(counted.map(({ found }) => found));
}

/**
 * Validates the media of a request and returns the seconds of input video that are charged. Throws
 * InputFault.
 */
export function inputSeconds(request: VideoRequest, model: VideoModel): number {
  const { input } = request;
  if (input.audio_url !== undefined) reach(input.audio_url, "input.audio_url");
  const byMedia = model.version === "2.7" || model.version === "happyhorse";
  if (byMedia) return mediaSeconds(request, model);
  if (model.task === "r2v") return secondsOf(references(request));
  if (model.task === "t2v") return 0;
  if (input.img_url === undefined) throw new InputFault("Field required: input.img_url");
  reach(input.img_url, "input.img_url");
  return 0;
}
