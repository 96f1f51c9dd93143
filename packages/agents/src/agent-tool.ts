import type { Tool, ToolOutput } from "palimpsest";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentEnd } from "./agent-result.ts";
import type { WantedAgent } from "./start-agent.ts";

export const AGENT_TOOL = "Agent";

export interface AgentToolOptions {
  readonly definitions: readonly AgentDefinition[];
  /** Starts an agent and waits for it. */
  readonly runAndWait: (wanted: WantedAgent) => Promise<AgentEnd>;
  /** Starts an agent; returns which, or why not. */
  readonly start: (wanted: WantedAgent) => Promise<{ readonly id: string } | { readonly why: string }>;
  readonly stop: (id: string) => Promise<string>;
  readonly list: () => string;
  readonly read: (id: string, fromCharacter: number) => Promise<string>;
}

const COMMANDS = ["start", "list", "read", "stop"] as const;
const WAYS = { foreground: "subagent", background: "background", fork: "fork", teammate: "teammate" } as const;

/** The tool with which the model starts and manages agents. */
export function agentTool({ definitions, runAndWait, start, stop, list, read }: AgentToolOptions): Tool {
  const kinds = definitions.map(({ name, description }) => `  - ${name}: ${description}`).join("\n");
  return {
    name: AGENT_TOOL,
    description: `Has an agent work on a task of its own.
- start: foreground waits and returns its report. background returns an id at once; its report comes to you when it ends, so do
  not ask for it again and again. fork does so, too, and knows this whole conversation, which costs little: start several at once.
  teammate stays after its report: it is idle until you, the user or another agent sends it a message. With plan "required" it
  only reads until you approve the plan that it sends you.
- list: your agents. read: what one has said last. stop: ends one. To go on with one that has ended, use SendMessage.
Kinds of agents:
${kinds}`,
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", enum: [...COMMANDS], description: "start, if left out" },
        description: { type: "string", description: "For start: the task in 3 to 8 words" },
        prompt: { type: "string", description: "For start: the task. All but a fork know nothing else." },
        way: { type: "string", enum: Object.keys(WAYS), description: "foreground, if left out" },
        kind: { type: "string", enum: definitions.map(({ name }) => name) },
        name: { type: "string", description: "For start: what others call it by. A teammate needs one." },
        plan: { type: "string", enum: ["required"], description: "For start of a teammate" },
        id: { type: "string", description: "For read and stop: its id or name" },
        from_character: { type: "number", description: "For read: where to go on" },
      },
    },
    concurrency: "safe",
    // An agent's report cannot be produced again.
    sideEffects: "some",
    // An agent has limits of its own, and may work for hours.
    timeoutMs: Number.POSITIVE_INFINITY,
    async execute(given, { signal, call }): Promise<ToolOutput> {
      const input = given as Input;
      if (input.command === "list") return list();
      if (input.command === "read") return read(input.id ?? "", input.from_character ?? 0);
      if (input.command === "stop") return stop(input.id ?? "");
      const { prompt, description, kind, name, plan } = input;
      if (!prompt?.trim() || !description?.trim())
        return { content: "Nothing was started: description and prompt are needed.", status: "error" };
      const way = WAYS[input.way ?? "foreground"];
      const wanted: WantedAgent = {
        prompt,
        description,
        way,
        callId: call.id,
        definition: kind,
        name,
        plan,
      };
      if (way === "subagent") {
        const { outcome, text } = await runAndWait({ ...wanted, signal });
        return { content: text, status: outcome === "done" ? "ok" : "error" };
      }
      const begun = await start(wanted);
      if ("why" in begun) return { content: `Nothing was started: ${begun.why}`, status: "error" };
      if (way === "teammate")
        return `Teammate ${name} has been started. Its report comes to you after each of its turns; then it is idle until a message comes.`;
      return `Agent ${begun.id} has been started. Its report will come to you when it ends.`;
    },
  };
}

interface Input {
  readonly command?: (typeof COMMANDS)[number];
  readonly description?: string;
  readonly prompt?: string;
  readonly way?: keyof typeof WAYS;
  readonly kind?: string;
  readonly name?: string;
  readonly plan?: "required";
  readonly id?: string;
  readonly from_character?: number;
}
