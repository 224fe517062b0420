import { join } from "node:path";
import { repoRoot } from "../paths.ts";
import { openApiDocument } from "./document.ts";

/** The committed document, which the router serves. */
export const openApiFile = join(repoRoot, "gateway/openapi.json");

/** What the committed document should be. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;
