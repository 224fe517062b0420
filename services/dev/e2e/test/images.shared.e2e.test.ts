import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import OpenAI from "openai";
import { alphaTests } from "./images/alpha.ts";
import { editTests } from "./images/edits.ts";
import { familyTests } from "./images/families.ts";
import { type ImagePlace, openPlace, path, prompt } from "./images/place.ts";

describe("images through the public server", () => {
  let place: ImagePlace;
  let billedBefore: number;
  const here = (): ImagePlace => place;

  before(async () => {
    place = await openPlace();
    billedBefore = (await place.fleet.audit()).books.billed.length;
  });

  alphaTests(here);
  familyTests(here);
  editTests(here);

  test("a failed call costs nothing, and a partially failed set costs the images generated", async () => {
    const { openai, under } = place;
    await under({ status: 500 }, { model: "gpt-image-2*" }, () =>
      assert.rejects(openai.images.generate({ model: "gamma-image-2", prompt }), OpenAI.InternalServerError),
    );
    const body = { model: "seedream-4-5", prompt, n: 3, size: "2K" as "auto" };
    const { data, response } = await under({ moderation: true }, { model: "seedream-4-5*", count: 1 }, () =>
      openai.images.generate(body).withResponse(),
    );
    assert.equal(data.data?.filter(({ url }) => url !== undefined).length, 2);
    assert.equal(response.headers.get("x-gateway-cost-usd"), "0.080000000");
  });

  test("images with a price per image are billed by their number: ten of delta-2, one of each alpha model", async () => {
    const costOf = async (body: object): Promise<number> =>
      Number((await place.fleet.client.post(path, body)).headers.get("x-gateway-cost-usd"));
    assert.equal(await costOf({ model: "delta-2", prompt, n: 10, size: "256x256" }), 0.16);
    const input = { messages: [{ role: "user", content: [{ text: prompt }] }] };
    assert.equal(await costOf({ model: "alpha-image-2.0", input }), 0.035);
    assert.equal(await costOf({ model: "alpha-image-max", input }), 0.075);
  });

  test("after all tests the ledger contains exactly what the simulator served, and no money is held", async () => {
    const { violations, books } = await place.fleet.audit();
    assert.deepEqual(violations, []);
    assert.ok(books.billed.length > billedBefore + 100);
  });
});
