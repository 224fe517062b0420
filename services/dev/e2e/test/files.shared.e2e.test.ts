import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { newAccount } from "@uag/harness/fleet/limited-key";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import OpenAI, { toFile } from "openai";

const mebibyte = 1024 * 1024;

describe("files through the public server", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;

  before(async () => {
    fleet = await openSharedFleet();
    openai = clientOf(fleet.run.api_key);
  });

  const clientOf = (apiKey: string): OpenAI =>
    new OpenAI({ apiKey, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });

  const fails = (call: PromiseLike<unknown>, status: number, words: RegExp) =>
    assert.rejects(Promise.resolve(call), (error: InstanceType<typeof OpenAI.APIError>) => {
      assert.deepEqual([error.status, words.test(error.message)], [status, true], error.message);
      return true;
    });

  test("the OpenAI SDK stores, lists, reads and deletes a file of 20 MiB unchanged", async () => {
    const bytes = Buffer.alloc(20 * mebibyte, "0123456789\n");
    const file = await openai.files.create({ file: await toFile(bytes, "großes\u00a0file.jsonl"), purpose: "batch" });
    assert.deepEqual([file.object, file.bytes, file.filename], ["file", bytes.length, "großes\u00a0file.jsonl"]);
    assert.equal((file.expires_at ?? 0) - file.created_at, 30 * 86_400, "a file for a batch expires after 30 days");
    assert.deepEqual(await openai.files.retrieve(file.id), file);
    const content = await openai.files.content(file.id);
    assert.match(content.headers.get("content-disposition") ?? "", /gro%C3%9Fes%C2%A0file\.jsonl$/);
    assert.ok(Buffer.from(await content.arrayBuffer()).equals(bytes));
    assert.deepEqual(await openai.files.delete(file.id), { id: file.id, object: "file", deleted: true });
    await fails(openai.files.retrieve(file.id), 404, /file does not exist/);
    await fails(openai.files.content(file.id), 404, /file does not exist/);
  });

  test("pages list every file once, in either order and by purpose", async () => {
    const { secret } = await newAccount(fleet, 1_000_000_000n);
    const own = clientOf(secret);
    const ids: string[] = [];
    for (const purpose of ["user_data", "batch", "user_data"] as const)
      ids.push((await own.files.create({ file: await toFile(Buffer.from(purpose), "a"), purpose })).id);
    const listed = async (query: OpenAI.FileListParams): Promise<string[]> => {
      const found: string[] = [];
      for await (const { id } of own.files.list(query)) found.push(id);
      return found;
    };
    assert.deepEqual(await listed({ limit: 1, order: "asc" }), ids);
    assert.deepEqual(await listed({ limit: 2 }), ids.toReversed());
    assert.deepEqual(await listed({ purpose: "batch" }), [ids[1]]);
  });

  test("another account's file is reported as not found", async () => {
    const file = await openai.files.create({ file: await toFile(Buffer.from("secret"), "a"), purpose: "user_data" });
    const { secret } = await newAccount(fleet, 1_000_000_000n);
    const stranger = clientOf(secret);
    await fails(stranger.files.retrieve(file.id), 404, /does not exist/);
    await fails(stranger.files.content(file.id), 404, /does not exist/);
    await fails(stranger.files.delete(file.id), 404, /does not exist/);
    assert.equal(await (await openai.files.content(file.id)).text(), "secret");
  });

  test("an invalid form stores nothing, and the error names the field", async () => {
    const { secret } = await newAccount(fleet, 1_000_000_000n);
    const own = clientOf(secret);
    const send = async (form: FormData): Promise<[number, string]> => {
      const headers = { authorization: `Bearer ${secret}` };
      const response = await fetch(`${fleet.run.base_url}/v1/files`, { method: "POST", headers, body: form });
      const { error } = (await response.json()) as { error: { message: string } };
      return [response.status, error.message];
    };
    const formOf = (fields: Readonly<Record<string, string | Blob>>): FormData => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      return form;
    };
    const file = new Blob(["x"]);
    const expiry = { "expires_after[anchor]": "created_at", "expires_after[seconds]": "5" };
    const cases: [FormData, RegExp][] = [
      [formOf({ purpose: "batch" }), /^file: is required/],
      [formOf({ file }), /^purpose: must be one of batch, user_data/],
      [formOf({ file, purpose: "fine-tune" }), /^purpose: must be one of/],
      [formOf({ document: file, purpose: "batch" }), /Send the file as the field 'file'/],
      [formOf({ file, purpose: "batch", ...expiry }), /^expires_after\.seconds: must be at least 3600/],
    ];
    for (const [form, words] of cases) {
      const [status, message] = await send(form);
      assert.equal(status, 400);
      assert.match(message, words);
    }
    const two = formOf({ file, purpose: "batch" });
    two.append("file", file);
    assert.deepEqual((await send(two))[0], 400);
    assert.deepEqual((await own.files.list()).data, []);
  });
});
