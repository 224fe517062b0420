import { type Probe, probe } from "../media/probe.ts";
import { invalidArk } from "./protocol.ts";
import type { SeedanceFamily } from "./seedance-models.ts";
import type { SeedanceRequest } from "./seedance-schema.ts";

/** The media of a request, by their role. */
export interface SeedanceInputs {
  readonly text: string;
  readonly frames: readonly Probe[];
  readonly images: readonly Probe[];
  readonly videos: readonly Probe[];
  readonly sounds: readonly Probe[];
  readonly draftId: string | undefined;
}

const unknownVideoSeconds = 5;

function checkedProbe(url: string, where: string): Probe {
  const found = probe(url);
  if (found.kind === "not-a-url") throw invalidArk(where, "the URL is malformed", "InvalidParameter");
  if (found.kind === "broken")
    throw invalidArk(where, "the image cannot be decoded", "InvalidParameter.UnsupportedImageFormat");
  if (found.kind === "unreachable") throw invalidArk(where, "the resource cannot be downloaded", "InvalidParameter");
  if (/^data:[^;]*[A-Z]/.test(url)) throw invalidArk(where, "the format of the data URL must be in lower case");
  return found;
}

function roleError(): never {
  throw invalidArk(
    "content",
    "first frame, first and last frame, and reference content cannot be mixed",
    "InvalidParameter.TaskTypeConstraint",
  );
}

/** Reads the content list. Rejects roles that do not fit together and unreachable media. */
export function inputsOf(request: SeedanceRequest): SeedanceInputs {
  const byRole: Record<string, Probe[]> = { first: [], last: [], images: [], videos: [], sounds: [] };
  const texts: string[] = [];
  let draftId: string | undefined;
  for (const [i, item] of request.content.entries()) {
    if (item.type === "text") texts.push(item.text);
    if (item.type === "draft_task") draftId = item.draft_task.id;
    if (item.type === "image_url") {
      const role = { first_frame: "first", last_frame: "last", reference_image: "images" }[item.role ?? "first_frame"];
      byRole[role]?.push(checkedProbe(item.image_url.url, `content[${i}].image_url`));
    }
    if (item.type === "video_url") byRole["videos"]?.push(checkedProbe(item.video_url.url, `content[${i}].video_url`));
    if (item.type === "audio_url") byRole["sounds"]?.push(checkedProbe(item.audio_url.url, `content[${i}].audio_url`));
  }
  const { first = [], last = [], images = [], videos = [], sounds = [] } = byRole;
  if (first.length > 1 || last.length > first.length) roleError();
  if (first.length > 0 && images.length + videos.length + sounds.length > 0) roleError();
  return { text: texts.join("\n"), frames: [...first, ...last], images, videos, sounds, draftId };
}

/** Rejects inputs that the model family does not accept. */
export function checkInputs(inputs: SeedanceInputs, family: SeedanceFamily, model: string): void {
  const { frames, images, videos, sounds, text, draftId } = inputs;
  const { references: max } = family;
  const media = frames.length + images.length + videos.length + sounds.length;
  const refuse = (why: string) =>
    invalidArk("content", `${why} for model ${model}`, "InvalidParameter.TaskTypeConstraint");
  if (draftId !== undefined && !family.drafts) throw refuse("draft tasks are not supported");
  if (media === 0 && text === "" && draftId === undefined) throw refuse("text is required");
  if (media === 0 && draftId === undefined && !family.takesText) throw refuse("text to video is not supported");
  if (media > 0 && family.name === "1-0-lite-t2v") throw refuse("image to video is not supported");
  if (frames.length > 1 && !family.takesLastFrame) throw refuse("a last frame is not supported");
  if (images.length > max.images) throw refuse(`at most ${max.images} reference images are supported`);
  if (videos.length > max.videos) throw refuse(`at most ${max.videos} reference videos are supported`);
  if (sounds.length > max.sounds) throw refuse(`at most ${max.sounds} reference audios are supported`);
  if (sounds.length > 0 && images.length + videos.length === 0 && !family.soundAlone) {
    throw refuse("reference audio requires a reference image or video");
  }
}

/** Total length of the reference videos, seconds; one of unknown length counts as five. */
export function inputSeconds({ videos }: SeedanceInputs): number {
  let seconds = 0;
  for (const video of videos) seconds += video.kind === "video" ? video.seconds : unknownVideoSeconds;
  return seconds;
}
