import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { repoRoot } from "@uag/local/paths";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { Stage } from "./console/stage.ts";

const side = 128;
const tool = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

/** Records the forms that the page sends: the browser does not reveal the contents of files. */
const keepForms = `window.forms = [];
const send = window.fetch;
window.fetch = (url, init) => {
  if (init?.body instanceof FormData) window.forms.push(init.body);
  return send(url, init);
};`;

/** The mask's alpha at a painted point and at another. */
const alphasOfMask = `(async () => {
  const mask = await createImageBitmap(window.forms[0].get("mask"));
  const canvas = new OffscreenCanvas(mask.width, mask.height);
  const context = canvas.getContext("2d");
  context.drawImage(mask, 0, 0);
  const alphaAt = (x, y) => context.getImageData(x, y, 1, 1).data[3];
  return { width: mask.width, painted: alphaAt(${side / 2}, ${side / 2}), rest: alphaAt(2, 2) };
})()`;

describe("the playground in a browser", () => {
  let stage: Stage<SharedFleet>;
  let picture: { name: string; mimeType: string; buffer: Buffer };
  const resources = new AsyncDisposableStack();

  before(async () => {
    stage = resources.use(await Stage.share());
    const buffer = await sharp({ create: { width: side, height: side, channels: 3, background: "#3b82f6" } })
      .png()
      .toBuffer();
    picture = { name: "blue.png", mimeType: "image/png", buffer };
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  const open = (mode: string): Promise<Page> => stage.visit(`/playground?${mode}`, "Playground");

  test("the playground streams a response of each chosen model, with its cost", async () => {
    const models = ["gpt-4o-mini", "claude-sonnet-4-6"];
    const page = await open(`models=${models.join(",")}`);
    await page.getByLabel("Message", { exact: true }).fill("Say hello");
    await page.getByRole("button", { name: "Send" }).click();
    for (const name of models) await page.getByText(new RegExp(`built-in simulator.*${name}`)).waitFor();
    await page
      .getByText(/^\$0\.\d+$/)
      .nth(1)
      .waitFor();
  });

  test("a conversation survives a reload, can be asked again, copied and downloaded, and starts anew", async () => {
    const page = await open("");
    await page.getByLabel("Message", { exact: true }).fill("Say hello");
    await page.getByRole("button", { name: "Send" }).click();
    const response = page.getByText(/built-in simulator/);
    await response.waitFor();
    await page.getByRole("button", { name: "Ask again" }).waitFor();
    await page.reload();
    await response.waitFor();
    await page.getByRole("button", { name: "Copy the response of gpt-4o-mini" }).waitFor();
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const text = await readFile(await (await downloaded).path(), "utf8");
    assert.match(text, /^## You\n\nSay hello\n\n## gpt-4o-mini\n\n/);
    const again = page.waitForRequest(/chat\/completions/);
    await page.getByRole("button", { name: "Ask again" }).click();
    const { messages } = (await again).postDataJSON() as { messages: unknown[] };
    assert.deepEqual(messages, [{ role: "user", content: "Say hello" }]);
    await page.getByRole("button", { name: "Ask again" }).waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("Start a conversation").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("menuitem", { name: /Say hello/ }).click();
    await response.waitFor();
  });

  test("a response is shown as Markdown without images of the model's choice, and the settings become fields", async () => {
    const page = await open("models=gpt-5");
    await page.route(/chat\/completions/, (route) => {
      const content =
        "# Title\n\n**bold** ![secret](https://example.com/pixel.png)\n\n```sh\nls\n```\n\n| a |\n|---|\n| b |";
      const chunk = { choices: [{ index: 0, delta: { content } }] };
      return route.fulfill({
        contentType: "text/event-stream",
        body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
      });
    });
    await page.getByRole("combobox", { name: "Reasoning effort" }).click();
    await page.getByRole("option", { name: "low" }).click();
    await page.getByRole("button", { name: "More parameters" }).click();
    await page.getByLabel("JSON schema").fill('{"type":"object"}');
    await page.getByLabel("Other parameters").fill('{"verbosity":"low"}');
    await page.getByLabel("Message", { exact: true }).fill("Hello");
    const sent = page.waitForRequest(/chat\/completions/);
    await page.getByRole("button", { name: "Send" }).click();
    const body = (await sent).postDataJSON() as Record<string, unknown>;
    assert.equal(body["reasoning_effort"], "low");
    assert.equal(body["verbosity"], "low");
    const schema = { name: "response", schema: { type: "object" }, strict: true };
    assert.deepEqual(body["response_format"], { type: "json_schema", json_schema: schema });
    await page.getByRole("heading", { name: "Title" }).waitFor();
    await page.locator("strong", { hasText: "bold" }).waitFor();
    await page.getByRole("cell", { name: "b" }).waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    assert.equal(
      await page.getByRole("link", { name: "secret" }).getAttribute("href"),
      "https://example.com/pixel.png",
    );
  });

  test("a message can contain an image, and the model's tool call is shown", async () => {
    const page = await open("models=gpt-4o-mini");
    await page.getByLabel("Tools").fill(JSON.stringify([tool]));
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.getByLabel("Message", { exact: true }).fill("How is the weather in Paris?");
    const sent = page.waitForRequest(/chat\/completions/);
    await page.getByRole("button", { name: "Send" }).click();
    const body = (await sent).postDataJSON() as { messages: { content: { type: string }[] }[]; tools: unknown[] };
    assert.deepEqual(body.tools, [tool]);
    assert.deepEqual(
      body.messages[0]?.content.map(({ type }) => type),
      ["text", "image_url"],
    );
    await page.getByText(/get_weather\(\{/).waitFor();
  });

  test("the area painted over an image is sent as its mask, and the edited image is shown", async () => {
    const page = await open("mode=edit");
    await page.evaluate(keepForms);
    await page.locator("input[type=file]").setInputFiles(picture);
    const canvas = page.getByRole("img", { name: "paint over the area to change" });
    await canvas.click();
    await page.getByLabel("Prompt").fill("A red circle");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByAltText("Image generated from: A red circle").waitFor();
    assert.deepEqual(await page.evaluate(alphasOfMask), { width: side, painted: 0, rest: 255 });
  });

  test("images are shown, speech is played and embeddings are listed", async () => {
    const page = await open("mode=images");
    await page.getByLabel("Prompt").fill("A lighthouse");
    await page.getByRole("button", { name: "Generate image" }).click();
    await page.getByAltText("Image generated from: A lighthouse").waitFor();
    await waitFor(() => page.evaluate("document.querySelector('img[alt^=Image]').naturalWidth > 0"));
    await page.getByRole("tab", { name: "Speech" }).click();
    await page.getByLabel("Text").fill("Hello there");
    await page.getByRole("button", { name: "Generate speech" }).click();
    await waitFor(() => page.evaluate("document.querySelector('audio')?.duration > 0"));
    await page.getByRole("tab", { name: "Embeddings" }).click();
    await page.getByLabel("First text").fill("A cat");
    await page.getByLabel("Second text").fill("A cat");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("1536 dimensions").waitFor();
  });

  test("a video task is polled to its end, the video plays and its cost is shown, even if started before the model list has loaded", async () => {
    const page = await open("mode=video");
    const listed = Promise.withResolvers<void>();
    await page.route(/gateway\/v1\/models/, async (route) => {
      await listed.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByLabel("Prompt").fill("Waves at a beach");
    const generate = page.getByRole("button", { name: "Generate video" });
    assert.equal(await generate.isDisabled(), true, "no video can be requested without a model");
    listed.resolve();
    await generate.click();
    await page
      .getByText("succeeded")
      .waitFor()
      .catch(async (cause: unknown) => {
        throw new Error(`the page says:\n${await page.locator("main").textContent()}`, { cause });
      });
    await waitFor(() => page.evaluate("document.querySelector('video')?.duration > 0"));
    await page.getByText(/^\$\d+\.\d+$/).waitFor();
  });

  test("the playground's own key is not listed among the users' keys", async () => {
    const page = await open("models=gpt-4o-mini");
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByText("playground session key").waitFor();
    assert.equal(await page.getByRole("row").filter({ hasText: "Console playground" }).count(), 0);
    await page.getByText("All", { exact: true }).click();
    await page.getByRole("row").filter({ hasText: "Console playground" }).first().waitFor();
  });

  /** The text of a program that makes the call, copied from the page. */
  async function codeOn(page: Page, name: string): Promise<string> {
    await page.getByRole("button", { name: "Get code" }).click();
    await page.getByRole("tab", { name }).click();
    return (await page.getByRole("region", { name }).textContent()) ?? "";
  }

  /** Runs the program in its own folder, which contains the SDK and the image. */
  async function execute(name: string, code: string) {
    const dir = await mkdtemp(join(tmpdir(), "as-code-"));
    resources.defer(() => rm(dir, { recursive: true, force: true }));
    await symlink(join(repoRoot, "services/dev/e2e/node_modules"), join(dir, "node_modules"));
    for (const file of ["picture-1.png", "blue.png", "mask.png"]) await writeFile(join(dir, file), picture.buffer);
    const options = { cwd: dir, env: { ...process.env, API_KEY: stage.fleet.run.api_key } };
    const { stdout } =
      name === "curl"
        ? await promisify(execFile)("sh", ["-c", code], options)
        : await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], options);
    return { dir, stdout };
  }

  for (const name of ["curl", "JavaScript"]) {
    test(`the ${name} code of a conversation runs unchanged and reads its image from a file`, async () => {
      const page = await open("models=gpt-4o-mini");
      await page.locator("input[type=file]").setInputFiles(picture);
      await page.getByAltText("Message image 1").waitFor();
      await page.getByLabel("Message", { exact: true }).fill("Isn't `this` $HOME \\ blue?");
      const code = await codeOn(page, name);
      await page.getByText("The image is read from the file picture-1.png.").waitFor();
      const { stdout } = await execute(name, code);
      const text = name === "curl" ? contentOf(stdout) : stdout;
      assert.match(text, /Isn't `this` \$HOME \\ blue\?/);
      assert.match(text, /1 (?:image|picture)/);
    });

    test(`the ${name} code of speech writes the audio to a file`, async () => {
      const page = await open("mode=speech");
      await page.getByLabel("Text").fill("Hello there");
      const { dir } = await execute(name, await codeOn(page, name));
      const sound = await readFile(join(dir, "speech.mp3"));
      assert.ok(sound.subarray(0, 3).toString() === "ID3" || sound[0] === 0xff, sound.subarray(0, 80).toString());
    });

    test(`the ${name} code of an edit runs unchanged`, async () => {
      const page = await open("mode=edit");
      await page.locator("input[type=file]").setInputFiles(picture);
      await page.getByLabel("Prompt").fill("A red circle");
      const { stdout } = await execute(name, await codeOn(page, name));
      assert.match(stdout, /b64_json|url/);
    });
  }
});

/** The concatenated text of a streamed response. */
function contentOf(stream: string): string {
  const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Chunk);
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}
