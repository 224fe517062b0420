import { type Fields, fieldsOf, listOf, textOf } from "../conversation/fields.ts";

type Container = Record<string, unknown> | unknown[];

/** One step of a path such as `$.items[0]['my key'].name`. */
const step = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g;

/**
 * The input of a function call that Gemini sends value by value, each with its path; a text comes
 * in pieces (cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling, "Streaming
 * function call arguments").
 */
export class PartialInput {
  readonly #root: Record<string, unknown> = Object.create(null);

  constructor(args: Fields) {
    Object.assign(this.#root, args);
  }

  add(partialArgs: unknown): void {
    for (const item of listOf(partialArgs)) this.#set(fieldsOf(item));
  }

  get json(): string {
    return JSON.stringify(this.#root);
  }

  #set(part: Fields): void {
    const keys = keysOf(textOf(part["jsonPath"]) ?? "");
    const last = keys.pop();
    if (last === undefined) return;
    let at: Container = this.#root;
    for (const [index, key] of keys.entries()) at = childOf(at, key, keys[index + 1] ?? last);
    const text = textOf(part["stringValue"]);
    const before = valueAt(at, last);
    if (text === undefined) put(at, last, part["numberValue"] ?? part["boolValue"] ?? null);
    else put(at, last, (typeof before === "string" ? before : "") + text);
  }
}

function keysOf(path: string): (string | number)[] {
  return [...path.matchAll(step)].map(([, name, index, quoted, doubleQuoted]) =>
    index === undefined ? (name ?? quoted ?? doubleQuoted ?? "") : Number(index),
  );
}

function childOf(at: Container, key: string | number, next: string | number): Container {
  const known = valueAt(at, key);
  if (typeof known === "object" && known !== null) return known as Container;
  const created: Container = typeof next === "number" ? [] : Object.create(null);
  put(at, key, created);
  return created;
}

const valueAt = (at: Container, key: string | number): unknown => (at as Record<string | number, unknown>)[key];

/** Elements of a list arrive in order, so none is placed beyond its end. */
function put(at: Container, key: string | number, value: unknown): void {
  if (Array.isArray(at)) at[Math.min(Number(key) || 0, at.length)] = value;
  else at[key] = value;
}
