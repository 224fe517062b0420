// npm run openapi: writes the OpenAPI documents from the schemas that validate requests.
import { writeFile } from "node:fs/promises";
import { documentNames } from "@uag/gateway/docs/documents.ts";
import { openApiFile, openApiText } from "../openapi/file.ts";

for (const name of documentNames) await writeFile(openApiFile(name), openApiText(name));
