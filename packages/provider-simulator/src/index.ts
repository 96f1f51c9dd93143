export type { AnthropicAcceptance } from "./anthropic/acceptance.ts";
export { type Anthropic, createAnthropic } from "./anthropic/anthropic.ts";
export type { AnthropicOptions } from "./anthropic/claude-models.ts";
export { ANTHROPIC_MODELS, type AnthropicModel } from "./anthropic/models.ts";
export type { AnthropicMessage } from "./anthropic/reply/message.ts";
export type { CallOptions } from "./anthropic/request.ts";
export { type Bedrock, type BedrockCall, type BedrockOptions, createBedrock } from "./bedrock/bedrock.ts";
export { type BedrockModel, bedrockModels } from "./bedrock/models.ts";
export type { ConverseResponse } from "./bedrock/to-converse.ts";
export { type Clock, type ManualClock, manualClock, systemClock } from "./clock.ts";
export {
  cutStream,
  type Failure,
  type FailureWording,
  type Fault,
  gatewayTimeout,
  overloaded,
  overloadedInStream,
  rateLimited,
  resetConnection,
  responseFailed,
  serverError,
  spendLimitReached,
  stallStream,
} from "./faults.ts";
export { fetchInProcess, type InProcessOptions } from "./fetch-in-process.ts";
export { createGemini, type Gemini, type GeminiCall, type GeminiOptions } from "./gemini/gemini.ts";
export { type GeminiModel, geminiModels } from "./gemini/models.ts";
export type { GenerateContentResponse } from "./gemini/response.ts";
export type { AsyncHttpFace, HttpCall, HttpFace, HttpReply } from "./http-face.ts";
export { type IdleClock, idleClock } from "./idle-clock.ts";
export type { BeyondLoopback } from "./listen-address.ts";
export { misbehave } from "./misbehave.ts";
export { createOpenAiChat, type OpenAiChat, type OpenAiChatOptions } from "./openai/chat/chat.ts";
export { type CompatibleServer, compatibleProfiles } from "./openai/chat/compatible.ts";
export type { CompatibleProfile } from "./openai/chat/compatible-profile.ts";
export type { ChatCompletion } from "./openai/chat/completion.ts";
export type { OpenAiCall } from "./openai/http-replies.ts";
export { type OpenAiModel, openAiModels } from "./openai/models.ts";
export type { ResponseObject } from "./openai/responses/response-object.ts";
export {
  type CompactedResponse,
  createOpenAiResponses,
  type InputTokens,
  type OpenAiResponses,
  type OpenAiResponsesOptions,
} from "./openai/responses/responses.ts";
export { type Prices, priceUsd } from "./price.ts";
export { type Exchange, Recorder } from "./recorder.ts";
export { createReplay, type ReplayOptions } from "./recordings/create-replay.ts";
export {
  type Ask,
  type AsyncScript,
  answer,
  callTool,
  callTools,
  echo,
  inOrder,
  type Reply,
  type Script,
  type StopCause,
  summarize,
  think,
  type Words,
} from "./script.ts";
export { type ServeOptions, type SimulatorServer, serve } from "./server.ts";
export { inSituation, type Situation, type SituationReply } from "./situation.ts";
export { createTimers, type Timer, type Timers } from "./timers.ts";
export { type BytesTokenizerOptions, bytesTokenizer, type Tokenizer } from "./tokenizer.ts";
export { inputTokensOf, type Usage } from "./usage.ts";
export type { Acceptance, Answered, CacheOutcome, Refusal, Verdict } from "./verdict.ts";
export { virtualTokenizer } from "./virtual-tokenizer.ts";
export { withAsyncScript } from "./with-async-script.ts";
