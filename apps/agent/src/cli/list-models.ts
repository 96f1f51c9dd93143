import type { ProviderChoice } from "../commands/choose-provider.ts";
import { type ConnectOptions, clientOptions } from "../commands/connect.ts";

/** Models of OpenAI that do not hold conversations. */
const OTHER_KINDS =
  /embedding|whisper|tts|dall-e|image|audio|realtime|moderation|transcribe|sora|babbage|davinci|computer-use/;

/** Asks the provider for the ids of its models, the newest first where it says so. Loads only this provider's client. */
export async function listModels(
  choice: ProviderChoice,
  { signal, ...options }: Pick<ConnectOptions, "fetch"> & { readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  // The runtime of Bedrock lists no models, and its key is for nobody else.
  if (choice.provider === "bedrock") return [];
  const client = clientOptions(choice, options);
  const during = signal === undefined ? {} : { signal };
  if (choice.provider === "anthropic") {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const page = await new Anthropic(client).models.list({ limit: 1_000 }, during);
    return page.data.map(({ id }) => id);
  }
  const { OpenAI } = await import("openai");
  const { data } = await new OpenAI(client).models.list(during);
  const newestFirst = data.toSorted((one, other) => (other.created ?? 0) - (one.created ?? 0)).map(({ id }) => id);
  // Other servers name their models as they like.
  return choice.baseUrl === undefined ? newestFirst.filter((id) => !OTHER_KINDS.test(id)) : newestFirst;
}
