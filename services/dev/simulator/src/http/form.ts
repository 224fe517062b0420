import { canonicalJson, hashOf } from "../content/hash.ts";

/** A file of a multipart form. */
export interface FormPart {
  readonly field: string;
  readonly filename: string;
  /** The content type of its part, without parameters. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** A parsed multipart form. The last value of a repeated field counts. */
export class Form {
  readonly fields: { readonly [name: string]: string };
  readonly files: readonly FormPart[];
  /** Every value of each field. */
  readonly lists: { readonly [name: string]: readonly string[] };
  constructor(
    fields: { readonly [name: string]: string },
    files: readonly FormPart[],
    lists: { readonly [name: string]: readonly string[] } = {},
  ) {
    this.fields = fields;
    this.files = files;
    this.lists = lists;
  }

  /** The same form with another model. */
  withModel(model: string): Form {
    return new Form({ ...this.fields, model }, this.files, this.lists);
  }

  /** Identifies the form, independent of its boundary and of streaming. */
  get identity(): string {
    const { stream: _, ...fields } = this.fields;
    const files = this.files.map(({ field, type, bytes }) => hashOf(field, type, bytes));
    return canonicalJson([fields, files]);
  }
}

/** Parses a multipart/form-data body; undefined when it is not one. */
export async function readForm(bytes: Buffer, contentType: string): Promise<Form | undefined> {
  if (!/^multipart\/form-data\b/i.test(contentType)) return undefined;
  const response = new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } });
  const data = await response.formData().catch(() => undefined);
  if (data === undefined) return undefined;
  const fields: Record<string, string> = {};
  const files: FormPart[] = [];
  const lists: Record<string, string[]> = {};
  for (const [field, value] of data) {
    if (typeof value === "string") {
      fields[field] = value;
      lists[field] = [...(lists[field] ?? []), value];
    } else {
      const type = value.type.split(";")[0]?.trim().toLowerCase() ?? "";
      files.push({ field, filename: value.name, type, bytes: Buffer.from(await value.arrayBuffer()) });
    }
  }
  return new Form(fields, files, lists);
}
