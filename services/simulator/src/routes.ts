import { anthropic } from "./anthropic/routes.ts";
import { gemini } from "./gemini/routes.ts";
import type { Provider } from "./http/types.ts";
import { openAi } from "./openai/routes.ts";

/** Every simulated provider. To add one: a folder with a dialect and its routes, and a line here. */
export const providers: readonly Provider[] = [openAi, anthropic, gemini];
