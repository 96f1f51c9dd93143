import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, query, type Tool, type ToolDefinition } from "palimpsest";

export interface Course {
  /** Tools of the servers. */
  readonly tools: readonly ToolDefinition[];
  readonly loading: "deferred" | "in-prompt";
  /** How many different ones the session uses. A session that defers searches once for each of them. */
  readonly usedTools: number;
  readonly turns: number;
  /** Calls in each turn: of the agent's own tool, but one of a server's. */
  readonly callsPerTurn: number;
}

export interface Led {
  readonly priceUsd: number;
  readonly requests: number;
  /** The part of a request before the messages, by the provider's count. */
  readonly headTokens: number;
}

type Provider = Parameters<typeof openSession>[0]["provider"];
type Step = { readonly call: string; readonly input: object } | "answer";

/** Characters of a result, as recorded sessions have them in the middle. */
const RESULT = "a line of a result that says something about the work\n".repeat(40);
const SYSTEM = "You are a coding agent. Work with the tools below, and say what you did.\n".repeat(20);

/** Leads a session of the same work, with the tools in the prompt or deferred, and prices it. */
export async function leadSession(
  { model, connect }: { readonly model: string; readonly connect: (script: Script) => Provider },
  course: Course,
): Promise<Led> {
  const steps: Step[] = [];
  let headTokens = 0;
  const provider = connect(({ inputTokens }) => {
    headTokens ||= inputTokens;
    const step = steps.shift() ?? "answer";
    return step === "answer" ? answer("Done. The next step is clear.") : callTools(callTool(step.call, step.input));
  });
  const own: Tool = {
    name: "Read",
    description: "Reads a file.",
    inputSchema: { type: "object" },
    execute: () => RESULT,
  };
  const offered = course.tools.map((definition) => toTool(definition, course.loading));
  const session = await openSession({
    store: memoryStore(),
    provider,
    model,
    system: SYSTEM,
    tools: [own, ...offered],
  });
  let requests = 0;
  for (let turn = 0; turn < course.turns; turn++) {
    steps.push(...stepsOf(course, turn, provider.toolSearch?.(model) ?? "own"));
    await session.append("Go on.");
    for await (const event of query(session)) if (event.kind === "response") requests++;
  }
  const { priceUsd = Number.NaN } = await session.ledger.cost();
  await session.close();
  return { priceUsd, requests, headTokens };
}

function stepsOf({ tools, loading, usedTools, callsPerTurn }: Course, turn: number, search: "native" | "own"): Step[] {
  const { name } = tools[Math.floor(((turn % usedTools) * tools.length) / usedTools)]!;
  const isDeferred = loading === "deferred";
  const called = { call: name, input: {} };
  const through = { call: "call_tool", input: { name, input: {} } };
  return [
    ...Array.from({ length: callsPerTurn - 1 }, () => ({ call: "Read", input: { path: "src/a.ts" } })),
    ...(isDeferred && turn < usedTools ? [{ call: "tool_search", input: { names: [name] } }] : []),
    isDeferred && search === "own" ? through : called,
    "answer",
  ];
}

/** Any input will do: what is measured is the prompt. */
function toTool({ inputSchema, description = "", ...rest }: ToolDefinition, loading: Course["loading"]): Tool {
  return {
    ...rest,
    description,
    inputSchema: { ...inputSchema, required: [] },
    ...(loading === "deferred" ? { loading } : {}),
    execute: () => RESULT,
  };
}
