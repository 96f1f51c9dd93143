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
import type { ResponseContent } from "palimpsest/core";
import type { ProviderChoice } from "../cli/choose-provider.ts";
import { connect } from "../cli/connect.ts";
import type { Endpoint, RequestLimits } from "./probe.ts";
import { tapFetch } from "./wire-tap.ts";

export interface Reference extends Endpoint {
  /** What the simulated model says next: the same as the real one did, so that only the services differ, not the minds. */
  say(replies: readonly ResponseContent[]): void;
  /** What is simulated, for the report. */
  readonly played: string;
}

export interface ReferenceOptions {
  readonly choice: ProviderChoice;
  readonly target: RequestLimits;
  /** Which server is played where the API has many. */
  readonly server: CompatibleServer;
}

/** The built-in simulator in the place of the service, in this process: same client, same adapter, same requests. */
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

/** The simulator knows one base for its paths; an endpoint of one's own may have any. */
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
    return { face: createOpenAiChat({ script, profile }), played: `${server} (--server plays another)` };
  }
  const like = openAiModels[model] === undefined ? "gpt-6-sol" : model;
  const models = { [model]: withLimits(openAiModels[like]!, target) };
  const create = choice.provider === "openai" ? createOpenAiResponses : createOpenAiChat;
  return { face: create({ script, models }), played: like };
}

/** A model that the simulator has never heard of is played as the newest that it knows, with the limits that were told. */
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
    // How long a thought was is not told: it is only that there was one.
    if (block.kind === "thinking") return [{ kind: "thinking", text: "Thinking." }];
    if (block.kind === "tool_call") return [{ kind: "tool-call", name: block.name, input: block.input }];
    return block.kind === "text" ? [{ kind: "text", text: block.text }] : [];
  });
  const cause = STOPS[stop];
  return { words, ...(cause === undefined ? {} : { stop: cause }) };
}
