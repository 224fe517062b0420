import { pythonPackages } from "@uag/harness/fleet/python-packages";
import type { Fleet } from "@uag/local/service";
import { run } from "./tool.ts";

const version = "1.106.2";

/** Checks the statements of the guide "Moving here" with LiteLLM's own library. */
const program = `
import os
import litellm

base, key = os.environ["BASE_URL"], os.environ["API_KEY"]
messages = [{"role": "user", "content": "say: hello"}]

def check(model, **settings):
    response = litellm.completion(model=model, messages=messages, **settings)
    assert response.choices[0].message.content == "hello", response
    chunks = litellm.completion(model=model, messages=messages, stream=True, **settings)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "hello"

openai = {"api_base": f"{base}/v1", "api_key": key}
for model in ["openai/gpt-4o-mini", "openai/claude-sonnet-4-6", "litellm_proxy/claude-sonnet-4-6"]:
    check(model, **openai)
check("anthropic/gpt-4o-mini", api_base=base, api_key=key, extra_headers={"Authorization": f"Bearer {key}"})
os.environ["ANTHROPIC_AUTH_TOKEN"] = key
check("anthropic/claude-sonnet-4-6", api_base=base)

vector = litellm.embedding(model="openai/text-embedding-3-small", input=["a"], **openai).data[0]["embedding"]
assert len(vector) == 1536
assert litellm.image_generation(model="openai/gamma-image-1", prompt="a cat", **openai).data[0].b64_json
assert litellm.speech(model="openai/alpha3-tts-flash", input="hi", voice="Cherry", **openai).content
try:
    litellm.completion(model="openai/gpt-4o-mini", messages=messages, api_base=f"{base}/v1", api_key="sk-wrong")
    raise SystemExit("a wrong key was accepted")
except litellm.AuthenticationError:
    pass
try:
    litellm.completion(model="anthropic/claude-sonnet-4-6", messages=messages, api_base=base, api_key=key)
    raise SystemExit("x-api-key was accepted")
except litellm.AuthenticationError as error:
    assert "Authorization: Bearer" in str(error), error
print("text, streams, embeddings, images, speech and wrong keys")
`;

/** Runs LiteLLM's library with each protocol that it supports as a prefix of a model's id. */
export async function liteLlm(_dir: string, { run: { base_url: BaseUrl, api_key: ApiKey } }: Fleet): Promise<void> {
  const Pythonpath = await pythonPackages(`litellm-${version}`, [`litellm==${version}`]);
  // Otherwise it downloads its table of prices.
  const env = {
    ...process.env,
    PYTHONPATH: Pythonpath,
    BASE_URL: BaseUrl,
    API_KEY: ApiKey,
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
  const { stdout } = await run("python3", ["-c", program], { env, timeout: 120_000 });
  process.stdout.write(`LiteLLM ${version}: ${stdout.trim().split("\n").at(-1)}\n`);
}
