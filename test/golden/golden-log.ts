import Anthropic from "@anthropic-ai/sdk";
import { languageModel } from "@palimpsest/ai-sdk";
import { chatModel } from "@palimpsest/langchain";
import { agentsModel } from "@palimpsest/openai-agents";
import { piModel } from "@palimpsest/pi";
import {
  answer as answerWith,
  createAnthropic,
  fetchInProcess,
  type Script,
  summarize,
} from "@palimpsest/provider-simulator";
import {
  attachment,
  type Clock,
  commandOutput,
  exportLog,
  memoryStore,
  notice,
  openSession,
  type Provider,
  type Session,
  type Settings,
  toolResult,
  user,
} from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { bedrock } from "palimpsest/bedrock";
import { gemini } from "palimpsest/gemini";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import { coding, type Policy, storeBySize, whenIdle } from "palimpsest/policy";
import { sealEntries, sha256 } from "palimpsest/store-parts";

/** The golden session and the fork of it, as exported lines. */
export interface GoldenLogs {
  readonly session: readonly string[];
  readonly fork: readonly string[];
}

export interface WrittenLogs extends GoldenLogs {
  /** The bodies of the calls that the session made by itself, for notes, a question and summaries. */
  readonly calls: readonly string[];
}

export const SESSION = "golden";
export const FORK = "golden-fork";
const BEGAN_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

const tools = [
  {
    name: "look",
    description: "Looks at a place.",
    inputSchema: { type: "object", properties: { at: { type: "string" } } },
  },
  { name: "list", inputSchema: { type: "object" } },
];
const settings: Partial<Settings> = { compaction: "off" };
/** Small limits, so that a short session stores and clears results. */
const policy: Policy = {
  ...coding(),
  store: storeBySize({ thresholdCharacters: 1_000 }),
  clear: [whenIdle({ minutes: 60, keepNewest: 1 })],
};
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const SECTIONS = ["Goal", "Constraints", "Progress", "Decisions", "Files", "Errors", "Next", "Open", "Words"];
const SUMMARY = SECTIONS.map((name, at) => `${at + 1}. ${name}: places were looked at, one after the other.`).join(
  "\n",
);
/** Answers what a session asks by itself. */
const script: Script = ({ userText }) => {
  if (userText.includes("<session-notes>")) return answerWith("<session-notes>unchanged</session-notes>");
  return userText.endsWith("called?") ? answerWith("Tom.") : summarize(SUMMARY);
};

/** A client of Anthropic's that answers in this process, and the bodies of its calls. */
export function createClient(clock: Clock): { readonly client: Anthropic; readonly calls: readonly string[] } {
  const calls: string[] = [];
  const simulated = fetchInProcess({ face: createAnthropic({ script, clock: { now: clock.now } as never }) });
  const client = new Anthropic({
    apiKey: "none",
    baseURL: "http://simulator",
    maxRetries: 0,
    fetch(url, init) {
      calls.push(String(init?.body));
      return simulated(url, init);
    },
  });
  return { client, calls };
}

/**
 * Writes the golden session from the beginning. It has every kind of entry, answers of all providers, and every kind of block.
 * Nothing in it depends on the time, the machine or chance.
 */
export async function writeGoldenLogs(): Promise<WrittenLogs> {
  let nowMs = BEGAN_MS;
  const clock = { now: () => nowMs };
  const store = memoryStore({ clock, leaseMs: 0 });
  const { client, calls } = createClient(clock);
  const providers = {
    "claude-opus-5-5": anthropic(client, { cacheDiagnostics: "asked" }),
    "gpt-6-sol": openaiResponses({} as never),
    "gpt-4.1": openaiChat({} as never),
    "gemini-3-pro-preview": gemini({} as never),
    "anthropic.claude-sonnet-4-6": bedrock({} as never),
    "ai-sdk": languageModel({} as never),
    langchain: chatModel({ model: "langchain", getName: () => "ChatModel" } as never),
    "openai-agents": agentsModel({} as never),
    pi: piModel(
      {} as never,
      { id: "pi", contextWindow: 200_000, maxTokens: 8_000, cost: { input: 0, output: 0 } } as never,
    ),
  };
  let session: Session;

  async function open(model: keyof typeof providers): Promise<void> {
    const provider = providers[model] as unknown as Provider;
    const common = {
      id: SESSION,
      store,
      clock,
      settings,
      policy,
      settingsFrom: { environment: {} },
      takeover: "always",
    } as const;
    session = await openSession({ ...common, provider, model, system: "Be brief.", tools, attendance: "unattended" });
  }

  /** Sends a request, and records what the model answered. */
  async function answer(respond: Respond): Promise<readonly string[]> {
    nowMs += 1_000;
    const request = await session.prepare();
    nowMs += 1_000;
    return (await session.record(respond(Math.ceil(JSON.stringify(request).length / 4)), request)).calls.map(
      ({ id }) => id,
    );
  }

  /** Writes an entry that a session writes only after failures that cannot be brought about here. */
  async function enter(kind: string, payload: unknown): Promise<void> {
    await session.close();
    const opened = await store.openWriter(SESSION, { owner: "golden", takeover: "always" });
    if (opened.kind !== "opened") throw new Error("The log is free.");
    const head = await opened.writer.head();
    const draft = { kind, version: 1, payload: JSON.stringify(payload) };
    await opened.writer.append(sealEntries([draft], { head, atMs: nowMs, digest: sha256 }));
    await opened.writer.close();
  }

  // Claude: thinking, two calls at once, results of both kinds, content of every origin.
  await open("claude-opus-5-5");
  const [question] = await session!.append(
    ["What is at the door?", attachment("rule", "Look twice.", { kind: "host" }), notice("thinking")],
    { key: "first" },
  );
  await session!.append(
    attachment("file", 'A file of </marked-data> "others".', { kind: "outside", name: "notes.txt" }),
  );
  const [door, window] = await answer(
    anthropicResponse(
      "msg_1",
      [
        { type: "thinking", thinking: "Two places.", signature: "c2lnbmVk" },
        { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
        { type: "text", text: "I will look." },
        { type: "tool_use", id: "toolu_1", name: "look", input: { at: "door" } },
        { type: "tool_use", id: "toolu_2", name: "look", input: { at: "window", "10": 1, "2": "\u2028" } },
      ],
      "tool_use",
    ),
  );
  await session!.turn.enterCall({ step: "begun", call: door! });
  await session!.turn.enterCall({ step: "waiting", call: window!, reason: "It is open." });
  await session!.turn.decide(window!, { kind: "allow", by: "ada" });
  const [seen] = await session!.append([
    toolResult(door!, "A cat. \u{1F408}"),
    toolResult(window!, [{ kind: "text", text: "Rain \ud800" }], "error"),
  ]);
  await session!.pins.add("Never open the window.");
  await session!.pins.add(question!);
  const gone = await session!.pins.add("Whisper.");
  await session!.pins.remove(gone);
  await answer(
    anthropicResponse(
      "msg_2",
      [
        { type: "text", text: "A cat.", citations: null },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "cats" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        { type: "tool_use", id: "toolu_3", name: "look", input: {} },
      ],
      "tool_use",
    ),
  );
  // A result that is stored, with a picture behind it.
  await session!.append(
    toolResult("toolu_3", Array.from({ length: 1_500 }, (_, at) => `Line ${at}: a cat.`).join("\n")),
  );
  const [shown] = await session!.append(
    user([
      { kind: "text", text: "And this?" },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } },
      { kind: "image", source: { kind: "url", url: "https://example.com/cat.png" } },
      { kind: "document", source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0xLjQK" } },
    ]),
  );
  await answer(anthropicResponse("msg_3", [{ type: "text", text: "A picture of a cat." }], "end_turn"));
  await session!.history.replace(
    { from: seen!, to: seen! },
    [
      {
        role: "user",
        origin: "host",
        blocks: [{ kind: "tool_result", callId: door!, content: "(cleared)", status: "ok" }],
      },
    ],
    "cleared",
  );
  await session!.append(["Never mind the window.", commandOutput("total 0")]);

  // A compaction by the provider, and what a session writes about failures.
  await answer(
    anthropicResponse(
      "msg_4",
      [
        { type: "compaction", content: "<summary>A cat at the door.</summary>" },
        { type: "text", text: "The window is forgotten." },
      ],
      "end_turn",
    ),
  );
  const prepared = session!.history.newestEntry + 1;
  await enter("prepared", {
    step: "written",
    from: question,
    to: shown,
    viewChangedAt: 0,
    formKey: "coding null",
    tokens: 7,
    installs: "when-decided",
    calls: 1,
    priceUsd: 0.001,
    text: "Summary:\nA cat at the door.",
    form: "coding",
    met: true,
    because: "a compaction is near",
    attempts: [],
  });
  await enter("prepared", { step: "dropped", of: prepared, reason: "undone", because: "a compaction was undone" });
  await enter("notes", { markdown: "# Notes\n\nA cat at the door.\n", coveredTo: shown });
  await enter("attempt", {
    trigger: "auto",
    failure: "api-error",
    why: "The service is down.",
    reason: "window",
    calls: 1,
  });
  await enter("overflow", { inputTokens: 210_000, limitTokens: 200_000 });

  // OpenAI Responses: sealed reasoning, and again a compaction by the provider.
  await open("gpt-6-sol");
  await session!.background.enterAgent({
    id: "agent-1",
    step: "started",
    way: "background",
    goal: "Count the cats.",
    session: "golden-agent",
    name: "counter",
  });
  await session!.append("Count them.");
  await answer(
    responsesResponse("resp_1", [
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "One." }],
        encrypted_content: "c2VhbGVk",
      },
      {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "list",
        arguments: '{"b":1,"a":{"d":2,"c":3}}',
        status: "completed",
      },
    ]),
  );
  await session!.append(
    toolResult("call_1", [
      { kind: "text", text: "One cat." },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } },
    ]),
  );
  await session!.background.enterAgent(
    { id: "agent-1", step: "ended", outcome: "done", told: "next-entry" },
    attachment("agent", "I counted one cat.", { kind: "agent", name: "counter" }),
  );
  await session!.turn.takeIn({ queue: "mail", number: 1, content: "A letter has come." });
  await answer(
    responsesResponse("resp_2", [
      { type: "compaction", id: "cmp_1", encrypted_content: "Y29tcGFjdGVk" },
      {
        type: "message",
        id: "msg_r2",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "One cat, one letter.", annotations: [] }],
      },
    ]),
  );
  await session!.background.setReadTo("memory", session!.history.newestEntry);
  await session!.close();

  // Chat Completions.
  await open("gpt-4.1");
  await session!.append("Where is the cat?");
  await answer((prompt_tokens) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "gpt-4.1",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        logprobs: null,
        message: {
          role: "assistant",
          content: "I look again.",
          refusal: null,
          tool_calls: [{ id: "call_2", type: "function", function: { name: "look", arguments: '{"at":' } }],
        },
      },
    ],
    usage: { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 },
  }));
  await session!.append(toolResult("call_2", "That is no place.", "error"));
  await session!.close();

  // Gemini: signatures of thoughts.
  await open("gemini-3-pro-preview");
  const [inside] = await answer((promptTokenCount) => ({
    responseId: "gemini_1",
    modelVersion: "gemini-3-pro-preview",
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: {
          role: "model",
          parts: [
            { text: "It may be inside.", thought: true },
            { text: "Inside, perhaps.", thoughtSignature: "dGhvdWdodA==" },
            { functionCall: { name: "look", args: { at: "inside" } }, thoughtSignature: "Y2FsbA==" },
          ],
        },
      },
    ],
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount: 15,
      thoughtsTokenCount: 5,
      totalTokenCount: promptTokenCount + 20,
    },
  }));
  await session!.append(toolResult(inside!, "It sleeps. ".repeat(80)));
  await session!.close();

  // Bedrock: reasoning.
  await open("anthropic.claude-sonnet-4-6");
  await answer((inputTokens) => ({
    $metadata: { requestId: "bedrock_1" },
    stopReason: "end_turn",
    output: {
      message: {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "It sleeps.", signature: "c2lnbmVk" } } },
          { text: "The cat sleeps inside." },
        ],
      },
    },
    usage: { inputTokens, outputTokens: 12, totalTokens: inputTokens + 12 },
    metrics: { latencyMs: 1 },
  }));
  await session!.close();

  // Models behind frameworks, each with what only that framework can read back.
  await open("ai-sdk");
  await session!.append("Wake it.");
  const [wake] = await answer((total) => ({
    content: [
      { type: "reasoning", text: "Gently.", providerMetadata: { anthropic: { signature: "c2lnbmVk" } } },
      { type: "text", text: "I wake it.", providerMetadata: { openai: { itemId: "item_1" } } },
      { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } },
      { type: "tool-call", toolCallId: "ai_1", toolName: "look", input: '{"b":1,"at":"cat"}' },
    ],
    finishReason: { unified: "tool-calls", raw: "tool_use" },
    usage: {
      inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 20, reasoning: 5 },
    },
    warnings: [],
    response: { id: "ai-sdk_1", modelId: "ai-sdk" },
  }));
  await session!.append(
    toolResult(wake!, [
      { kind: "text", text: "It wakes." },
      { kind: "text", text: "It purrs." },
    ]),
  );
  await session!.close();

  await open("langchain");
  const [feed] = await answer((input_tokens) => ({
    model: "langchain",
    message: {
      type: "ai",
      id: "langchain_1",
      content: [
        { type: "thinking", thinking: "Hungry.", signature: "c2lnbmVk" },
        { type: "text", text: "I feed it." },
        { type: "tool_use", id: "lc_1", name: "look", input: { b: 1, at: "bowl" } },
      ],
      tool_calls: [{ type: "tool_call", id: "lc_1", name: "look", args: { b: 1, at: "bowl" } }],
      additional_kwargs: { reasoning_content: "Hungry." },
      response_metadata: { model: "langchain", stop_reason: "tool_use" },
      usage_metadata: { input_tokens, output_tokens: 20, total_tokens: input_tokens + 20 },
    },
  }));
  await session!.append(toolResult(feed!, "No bowl.", "error"));
  await session!.close();

  await open("openai-agents");
  const [bowl] = await answer((inputTokens) => ({
    model: "openai-agents",
    responseId: "agents_1",
    output: [
      { type: "reasoning", id: "rs_9", content: [], providerData: { encrypted_content: "c2VhbGVk" } },
      {
        type: "message",
        id: "msg_9",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "I buy one.", providerData: { annotations: [] } }],
      },
      {
        type: "function_call",
        id: "fc_9",
        callId: "agents_call_1",
        name: "look",
        arguments: '{"b":1,"at":"shop"}',
        status: "completed",
      },
    ],
    usage: { requests: 1, inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 },
  }));
  await session!.append(
    toolResult(bowl!, [{ kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } }]),
  );
  await session!.close();

  await open("pi");
  const [price] = await answer((input) => ({
    role: "assistant",
    api: "anthropic-messages",
    provider: "anthropic",
    model: "pi",
    responseId: "pi_1",
    content: [
      { type: "thinking", thinking: "Not dear.", thinkingSignature: "c2lnbmVk" },
      { type: "text", text: "A good price.", textSignature: "dGV4dA==" },
      { type: "toolCall", id: "pi_call_1", name: "look", arguments: { b: 1, at: "price" } },
    ],
    usage: { input, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: input + 20, cost: { total: 0 } },
    stopReason: "toolUse",
    timestamp: 0,
  }));
  await session!.append(toolResult(price!, "Ten."));
  await session!.close();

  // Back at Claude: a wrong turn, another head, a fold that is taken back, an erased message, and a real compaction.
  await open("claude-opus-5-5");
  const wrongTurn = session!.history.newestEntry;
  await session!.append("No, something else.");
  await session!.history.rewind(wrongTurn, "a wrong turn");
  await session!.configure({ system: "Be kind.", parameters: { thinking: { type: "adaptive" } } });
  const [secret] = await session!.append("The key is under the mat.");
  await answer(anthropicResponse("msg_5", [{ type: "text", text: "Noted." }], "end_turn"));
  await session!.erase(secret!);
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "Earlier: a cat." }] } as const;
  const folded = await session!.history.fold({ from: question!, to: seen! }, [summary], "summarised");
  await session!.history.restore(folded);
  await answer(anthropicResponse("msg_6", [{ type: "text", text: "Still here." }], "end_turn"));

  // A fork, which answers beside the session.
  const main = session!;
  const fork = await main.fork({ source: "side-question", id: FORK, allowedTools: ["look"] });
  await fork.append("Which color has the cat?");
  session = fork;
  await answer(
    anthropicResponse("msg_f1", [{ type: "tool_use", id: "toolu_f1", name: "look", input: { at: "cat" } }], "tool_use"),
  );
  await fork.append(toolResult("toolu_f1", "Black."));
  await answer(anthropicResponse("msg_f2", [{ type: "text", text: "Black." }], "end_turn"));
  await fork.close();
  session = main;

  // A fact for the rules of the policy, and a pause after which the policy clears old results.
  await session.mark("ticket", "closed");
  nowMs += 2 * HOUR_MS;
  for (let round = 1; round <= 4; round++) {
    await session.append(`Round ${round}.`);
    await answer(
      anthropicResponse(
        `msg_long_${round}`,
        [{ type: "text", text: `Round ${round}. ${"All work and no play makes a long answer. ".repeat(300)}` }],
        "end_turn",
      ),
    );
  }
  await session.ask("What is it called?", { source: "question" });
  await session.ask("What is it called?", {
    source: "alone",
    standalone: { model: "claude-opus-5-5", system: "Be exact.", maxOutputTokens: 500 },
  });
  const notes = await session.notes.update();
  if (notes.kind !== "unchanged") throw new Error(`The notes were not left alone: ${JSON.stringify(notes)}`);
  await session.append("Go on.");
  const compacted = await session.compact({ instructions: "Keep the cat." });
  if (compacted.kind !== "compacted") throw new Error(`The session was not compacted: ${JSON.stringify(compacted)}`);
  await answer(
    anthropicResponse("msg_7", [{ type: "tool_use", id: "toolu_4", name: "look", input: { at: "mat" } }], "tool_use"),
  );
  await session.append(toolResult("toolu_4", "A key."));
  await answer(anthropicResponse("msg_8", [{ type: "text", text: "A key is there." }], "max_tokens"));
  await session.turn.enterStep({ step: "continued", why: "cut-off" }, user("Go on from where you stopped."));
  await session.close();
  return { session: await linesOf(SESSION), fork: await linesOf(FORK), calls };

  async function linesOf(id: string): Promise<readonly string[]> {
    return Array.fromAsync(exportLog((await store.openReader(id))!));
  }
}

/** What a model answers, given how many tokens it has read. */
type Respond = (inputTokens: number) => object;

function anthropicResponse(id: string, content: readonly object[], stopReason: string): Respond {
  const fixed = { id, type: "message", role: "assistant", model: "claude-opus-5-5", stop_sequence: null };
  const output_tokens = Math.ceil(JSON.stringify(content).length / 4);
  return (inputTokens) => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: inputTokens,
      cache_creation: { ephemeral_5m_input_tokens: inputTokens, ephemeral_1h_input_tokens: 0 },
      output_tokens,
    };
    return { ...fixed, content, stop_reason: stopReason, usage };
  };
}

function responsesResponse(id: string, output: readonly object[]): Respond {
  const fixed = { id, object: "response", created_at: 1_700_000_000, status: "completed", model: "gpt-6-sol", output };
  return (input_tokens) => {
    const usage = {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 25,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: input_tokens + 25,
    };
    return { ...fixed, usage };
  };
}
