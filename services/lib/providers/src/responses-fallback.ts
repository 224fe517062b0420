import type { Provider } from "@uag/catalog/types";
import { UpstreamFailure } from "./failure.ts";
import { responsesFormat } from "./formats/responses/format.ts";
import { type Generated, type GenerateOptions, generate } from "./generate.ts";
import { generationAdapter } from "./registry.ts";
import type { GenerationFormat } from "./translate/client.ts";

/** After this, a server is asked for the Responses API again: it may have been upgraded. */
const rememberedMs = 10 * 60_000;

type Options = Omit<GenerateOptions, "adapter">;

/**
 * Generates text in a client's format. Servers compatible with OpenAI's chat completions may lack the
 * Responses API that their protocol has: a request that gets "not found" for its path, which costs
 * nothing, is translated at once, and later ones without asking.
 */
export class ResponsesFallback {
  /** When a provider's server was found to lack the API. */
  readonly #lacking = new Map<string, number>();

  /** One attempt at one upstream. @throws {UpstreamFailure} */
  async generate(format: GenerationFormat, options: Options): Promise<Generated> {
    const { upstream } = options;
    const { provider } = upstream;
    if (format !== responsesFormat || upstream.responsesApi !== true) return await generated(format, options);
    const translated = { ...options, upstream: { ...upstream, responsesApi: false } };
    if (this.#lacks(provider)) return await generated(format, translated);
    try {
      return await generated(format, options);
    } catch (error) {
      if (!isPathMissing(error)) throw error;
      const found = await generated(format, translated);
      this.#lacking.set(addressOf(provider), performance.now());
      return found;
    }
  }

  #lacks(provider: Provider): boolean {
    const address = addressOf(provider);
    const since = this.#lacking.get(address);
    if (since === undefined) return false;
    if (performance.now() - since < rememberedMs) return true;
    this.#lacking.delete(address);
    return false;
  }
}

const addressOf = ({ origin, basePath }: Provider): string => origin + basePath;

async function generated(format: GenerationFormat, options: Options): Promise<Generated> {
  const { upstream } = options;
  const adapter = generationAdapter(format, upstream);
  if (adapter === undefined) throw new UpstreamFailure("operator", `no adapter for ${upstream.provider.protocol}`);
  return await generate({ ...options, adapter });
}

/** A model that is not found is named as one; a path is not. */
function isPathMissing(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure)) return false;
  const { status, reported } = error;
  return (status === 404 || status === 405) && !/model|deployment/i.test(`${reported?.message} ${reported?.code}`);
}
