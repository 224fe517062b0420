import { fileURLToPath } from "node:url";
import { type DocumentName, documents } from "@uag/gateway/docs/documents.ts";
import { openApiDocument } from "./document.ts";

/** A committed document, which the router serves. */
export const openApiFile = (name: DocumentName): string => fileURLToPath(documents[name].file);

/** What the committed document should be. */
export const openApiText = (name: DocumentName): string => `${JSON.stringify(openApiDocument(name), null, 2)}\n`;
