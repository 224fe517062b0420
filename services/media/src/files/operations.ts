import type { OperationsOf } from "@uag/pipeline/operation/operation";
import type { FileContext } from "./context.ts";
import { createFile } from "./create-file.ts";
import { deleteFile, fileContent, getFile, listFiles } from "./find-file.ts";

/** The operations on files, by their names in the table of routes. */
export function fileOperations(
  context: FileContext,
): Pick<OperationsOf<"media">, Extract<keyof OperationsOf<"media">, `files.${string}`>> {
  return {
    "files.create": createFile(context),
    "files.list": listFiles(context),
    "files.get": getFile(context),
    "files.content": fileContent(context),
    "files.delete": deleteFile(context),
  };
}
