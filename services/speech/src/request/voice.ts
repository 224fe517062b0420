import { GatewayError } from "@uag/contract/errors/gateway-error";

/** Names of OpenAI's voices (API reference, create speech). */
const openAiVoices = new Set(
  "alloy ash ballad cedar coral echo fable juniper marin nova onyx sage shimmer verse".split(" "),
);

/**
 * How other providers name voices: `en-US-JennyNeural`, `zh-CN-Wavenet-A`, `zh_female_...`, ids of
 * letters and digits.
 */
const foreignShapes: readonly RegExp[] = [
  /^[a-z]{2,3}[-_][A-Z]{2}([-_].*)?$/,
  /^[a-z]{2,3}[-_](fe)?male([-_].*)?$/i,
  /^(fe)?male[-_].+$/i,
  /^(?=.*\d.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{20}$/,
];

/**
 * The voice to use: the named one, ignoring case; the first of the list when none is named, or when
 * the name is one of another provider.
 * @throws {GatewayError} `invalid_request` for an unknown voice
 */
export function readVoice(requested: string | null | undefined, voices: readonly string[]): string {
  const usual = voices[0] as string;
  const name = requested?.trim() ?? "";
  if (name === "") return usual;
  const wanted = name.toLowerCase();
  const known = voices.find((voice) => voice.toLowerCase() === wanted);
  if (known !== undefined) return known;
  if (openAiVoices.has(wanted) || foreignShapes.some((shape) => shape.test(name))) return usual;
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  const text = `voice: unknown voice '${shown}'. GET /v1/audio/voices lists the voices.`;
  throw new GatewayError("invalid_request", text, { param: "voice" });
}
