import {
  ANTHROPIC_MODELS,
  type AnthropicModel,
  answer,
  type CompatibleProfile,
  type CompatibleServer,
  compatibleProfiles,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  fetchInProcess,
  type HttpFace,
  idleClock,
  type OpenAiModel,
  openAiModels,
  type Reply,
  type Script,
  type StopCause,
  type Words,
} from "@palimpsest/provider-simulator";
import type { ResponseContent } from "palimpsest/provider-parts";
import type { ProviderChoice } from "../choose-provider.ts";
import { connect } from "../connect.ts";
import type { Endpoint, RequestLimits } from "./probe.ts";
import { tapFetch } from "./wire-fields.ts";

interface Reference extends Endpoint {
  /** Sets the simulated model's next answer to the real model's answer, so that only the services differ. */
  say(replies: readonly ResponseContent[]): void;
  /** The name of the simulated model or server, for the report. */
  readonly played: string;
}

interface ReferenceOptions {
  readonly choice: ProviderChoice;
  readonly target: RequestLimits;
  /** The server to imitate, for an API with many servers. */
  readonly server: CompatibleServer;
}

/** Opens the built-in simulator in this process, with the same client, adapter and requests. */
export async function openReference({ choice, target, server }: ReferenceOptions): Promise<Reference> {
  let waiting: Reply[] = [];
  const script: Script = () => waiting.shift() ?? answer("ready");
  const { face, played } = createFace({ choice, target, server, script });
  const inProcess = fetchInProcess({ face, clock: idleClock() });
  const tap = tapFetch((input, init) => inProcess(atRoot(String(input)), init));
  return {
    provider: await connect({ ...choice, key: "none" }, tap),
    takeExchanges: tap.take,
    onResponse: () => {},
    played,
    say(replies) {
      waiting = replies.map(toReply);
    },
  };
}

/** Maps the path to the simulator's only base path, because the user's endpoint may have another base path. */
function atRoot(url: string): string {
  const { pathname } = new URL(url);
  const [, ending] = /\/((?:messages|models|responses|chat)(?:\/[^/]+)*)$/.exec(pathname) ?? [];
  return `http://simulator/v1/${ending ?? ""}`;
}

type FaceOptions = ReferenceOptions & { readonly script: Script };

function createFace({ choice, target, server, script }: FaceOptions): {
  readonly face: HttpFace;
  readonly played: string;
} {
  const { model } = target;
  if (choice.provider === "anthropic") {
    const { models, like } = anthropicModels(target);
    return { face: createAnthropic({ script, models }), played: like };
  }
  if (choice.provider === "openai-chat" && choice.baseUrl !== undefined) {
    const profile = withWindow(compatibleProfiles[server], target);
    return { face: createOpenAiChat({ script, profile }), played: `${server} (choose another with --server)` };
  }
  const like = openAiModels[model] === undefined ? "gpt-6-sol" : model;
  const models = { [model]: withLimits(openAiModels[like]!, target) };
  const create = choice.provider === "openai" ? createOpenAiResponses : createOpenAiChat;
  return { face: create({ script, models }), played: like };
}

/** Simulates an unknown model as the newest known model with the reported limits. */
function anthropicModels({ model, facts }: RequestLimits): {
  readonly models: readonly AnthropicModel[];
  readonly like: string;
} {
  const known = ANTHROPIC_MODELS.find(({ id, datedId }) => id === model || datedId === model);
  if (known !== undefined) return { models: [], like: known.id };
  const like = ANTHROPIC_MODELS.find(({ id }) => id === "claude-sonnet-5-5")!;
  const { windowTokens = like.windowTokens, maxOutputTokens, minimumCacheTokens } = facts;
  return { models: [{ ...like, id: model, windowTokens, maxOutputTokens, minimumCacheTokens }], like: like.id };
}

function withLimits(
  model: OpenAiModel,
  { facts: { windowTokens, maxInputTokens, maxOutputTokens } }: RequestLimits,
): OpenAiModel {
  return {
    ...model,
    ...(windowTokens === undefined
      ? {}
      : { windowTokens, maxInputTokens: maxInputTokens ?? windowTokens, maxOutputTokens }),
  };
}

function withWindow(profile: CompatibleProfile, { facts: { windowTokens } }: RequestLimits): CompatibleProfile {
  if (profile.model === undefined || windowTokens === undefined) return profile;
  return { ...profile, model: { ...profile.model, windowTokens, maxInputTokens: windowTokens } };
}

const STOPS: Readonly<Partial<Record<ResponseContent["stop"], StopCause>>> = {
  length: "output-limit",
  refused: "refusal",
  paused: "pause",
};

function toReply({ blocks, stop }: ResponseContent): Reply {
  const words = blocks.flatMap((block): readonly Words[] => {
    // The length of the thinking does not matter here.
    if (block.kind === "thinking") return [{ kind: "thinking", text: "Thinking." }];
    if (block.kind === "tool_call") return [{ kind: "tool-call", name: block.name, input: block.input }];
    return block.kind === "text" ? [{ kind: "text", text: block.text }] : [];
  });
  const cause = STOPS[stop];
  return { words, stop: cause };
}
