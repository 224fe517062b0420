// npm run openapi: writes the OpenAPI document from the schemas that validate requests.
import { writeFile } from "node:fs/promises";
import { openApiFile, openApiText } from "../openapi/file.ts";

await writeFile(openApiFile, openApiText());
