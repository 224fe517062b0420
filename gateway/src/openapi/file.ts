import { fileURLToPath } from "node:url";
import { type DocumentName, documents } from "../docs/documents.ts";
import { openApiDocument } from "./document.ts";

/** A committed document, served by the router. */
export const openApiFile = (name: DocumentName): string => fileURLToPath(documents[name].file);

/** The expected content of the committed document. */
export const openApiText = (name: DocumentName): string => `${JSON.stringify(openApiDocument(name), null, 2)}\n`;
