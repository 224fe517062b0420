import assert from "node:assert/strict";
import { test } from "node:test";
import { scanVectors } from "@uag/untrusted/vectors/scan";
import { readVectors } from "./response.ts";

const names = { list: "data", vector: "embedding" };
const scan = (text: string) => {
  const body = Buffer.from(text);
  const { vectors, list, members } = scanVectors(body, names);
  const cut = ({ start, end }: { start: number; end: number }) => body.toString("utf8", start, end);
  return {
    vectors: vectors.map((vector) => [vector.index, cut(vector)]),
    list: cut(list),
    members: Object.fromEntries([...members].map(([name, range]) => [name, cut(range)])),
  };
};

test("finds vectors as text and as base64, whatever else the response contains", () => {
  const list = ` [ {"object":"embedding","embedding":[0.1, -2e-3],"index": 1 },\n{"index":0,"x":{"y":["]",{}]},"embedding":"AA=="} ]`;
  const response = `{"id":"a\\"}","model":"m","data":${list}, "usage" : {"prompt_tokens":3,"d":[1,{"a":"]"}]} , "last":true}`;
  assert.deepEqual(scan(response), {
    vectors: [
      [1, "[0.1, -2e-3]"],
      [0, '"AA=="'],
    ],
    list: list.trim(),
    members: { id: '"a\\"}"', model: '"m"', usage: '{"prompt_tokens":3,"d":[1,{"a":"]"}]}', last: "true" },
  });
  assert.deepEqual(scan('{"data":[]}').vectors, []);
});

test("the scanner finds what JSON.parse finds, in any layout", () => {
  const value = {
    object: "list",
    data: [3, 0, 2, 1].map((index) => ({ object: "embedding", index, embedding: [index, 0.5], note: 'a "b" \\ ]}' })),
    usage: { total_tokens: 7 },
    model: "ü\u2028",
  };
  for (const space of [undefined, 1, "\t"]) {
    const found = scan(JSON.stringify(value, undefined, space));
    assert.deepEqual(
      found.vectors.map(([index, text]) => [index, JSON.parse(String(text))]),
      value.data.map(({ index, embedding }) => [index, embedding]),
    );
    assert.deepEqual(JSON.parse(found.members["usage"] as string), value.usage);
    assert.deepEqual(JSON.parse(found.members["model"] as string), value.model);
  }
});

test("a response cut off at any byte is an error and never blocks", () => {
  const response = `{"data":[{"embedding":[1,2],"index":0},{"embedding":"AA","index":1}],"model":"m","usage":{"a":"b"}}`;
  for (let end = 0; end < response.length; end++) assert.throws(() => scan(response.slice(0, end)), SyntaxError);
  for (const bad of [
    "[]",
    "{}",
    "null",
    "",
    '{"data":1}',
    '{"data":[1]}',
    '{"data":[{}]}',
    '{"data":[{"embedding":1}]}',
  ])
    assert.throws(() => scan(bad), SyntaxError, bad);
});

test("orders vectors by input and requires exactly one per input", () => {
  const read = (indexes: (number | undefined)[], count = indexes.length) => {
    const data = indexes.map((index, place) => ({ ...(index !== undefined && { index }), embedding: [place] }));
    const body = Buffer.from(JSON.stringify({ data }));
    const { vectors, list } = readVectors(body, { names, count, errorInside: () => undefined });
    return {
      order: vectors.map(({ start, end }) => JSON.parse(body.toString("utf8", start, end))[0]),
      whole: list !== undefined,
    };
  };
  assert.deepEqual(read([0, 1, 2]), { order: [0, 1, 2], whole: true });
  assert.deepEqual(read([2, 0, 1]), { order: [1, 2, 0], whole: false });
  assert.deepEqual(read([undefined, undefined]), { order: [0, 1], whole: false });
  for (const [indexes, count] of [
    [[0, 0], 2],
    [[0, 2], 2],
    [[0], 2],
    [[0, 1], 1],
    [[-1], 1],
    [[0.5], 1],
  ] as const)
    assert.throws(() => read([...indexes], count), /the upstream's response/, JSON.stringify(indexes));
});
