/** Where Google's own OpenAI-compatible endpoint puts the thought signature of a call. */
export function googleExtra(signature: string | undefined): object {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}
