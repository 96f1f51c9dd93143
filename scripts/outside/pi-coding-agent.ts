import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Notice, type PiMessage, type PiModel, type PiStream, palimpsest, readCompactions } from "@palimpsest/pi";
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { memoryStore } from "palimpsest";
import { installOutside } from "./install-outside.ts";

const NAME = "@earendil-works/pi-coding-agent";
const MODEL = "claude-opus-5-5";
const TURNS = 30;

/** The part of the coding agent that is used. */
interface CodingAgent {
  readonly SettingsManager: { inMemory(settings: { compaction: { enabled: boolean } }): unknown };
  readonly SessionManager: { inMemory(folder: string): unknown };
  createAgentSession(options: Record<string, unknown>): Promise<{ session: AgentSession }>;
}

interface AgentSession {
  readonly agent: { streamFunction: PiStream; readonly state: { readonly messages: readonly PiMessage[] } };
  subscribe(listener: (event: { readonly type: string }) => void): void;
  prompt(text: string): Promise<void>;
  dispose(): void;
}

interface Run {
  readonly refused: number;
  /** Compactions of pi, and of the session. */
  readonly theirs: number;
  readonly ours: number;
  readonly notices: readonly Notice["kind"][];
}

/**
 * pi's own coding agent with sessions behind its stream function. With its compaction switched off, the session alone compacts. Left on in a
 * small window, it has summaries written that nobody uses: that is why the guide says to switch it off.
 */
export async function tryPiCodingAgent(_root: string, version: string): Promise<void> {
  const installed = installOutside(NAME, version);
  const found = createRequire(join(installed, "package.json")).resolve.paths(NAME)![0]!;
  const agent = (await import(pathToFileURL(join(found, NAME, "dist", "index.js")).href)) as CodingAgent;
  const off = await drive(agent, "off");
  const on = await drive(agent, "on");
  console.log(`${NAME} ${version}: compaction off ${JSON.stringify(off)}, on ${JSON.stringify(on)}`);
  if (off.refused + on.refused + off.theirs > 0 || off.ours === 0 || off.notices.length > 0)
    throw new Error("With pi's compaction off, the session alone must compact.");
  if (on.theirs === 0) throw new Error("pi's compaction leaves the conversation alone: the guide says otherwise.");
}

async function drive(
  { createAgentSession, SettingsManager, SessionManager }: CodingAgent,
  compaction: "on" | "off",
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "pi-coding-agent-"));
  writeFileSync(join(folder, "notes.txt"), "It rained all day, and the port was 8080.\n".repeat(150));
  mkdirSync(join(folder, "agent"));
  const facts = ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
  const models = [{ ...facts, windowTokens: 40_000 }];
  const server = await serve({ faces: [createAnthropic({ script, models })] });
  const notices: Notice["kind"][] = [];
  const context = palimpsest({ store: memoryStore(), onNotice: ({ kind }) => notices.push(kind) });
  process.env["ANTHROPIC_API_KEY"] = "none";
  try {
    const { session } = await createAgentSession({
      cwd: folder,
      agentDir: join(folder, "agent"),
      model: modelAt(server.url),
      thinkingLevel: "low",
      tools: ["read"],
      settingsManager: SettingsManager.inMemory({ compaction: { enabled: compaction === "on" } }),
      sessionManager: SessionManager.inMemory(folder),
    });
    session.agent.streamFunction = context.stream(session.agent.streamFunction);
    let theirs = 0;
    session.subscribe(({ type }) => {
      if (type === "compaction_start") theirs++;
    });
    for (let turn = 1; turn <= TURNS; turn++) await session.prompt(`Turn ${turn}: read notes.txt.`);
    const ours = session.agent.state.messages.flatMap(readCompactions).length;
    session.dispose();
    const { refused } = server.recorder.total();
    return { refused, theirs, ours, notices };
  } finally {
    await context.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const script: Script = ({ userText, toolResults }) => {
  if (userText.includes("nine sections")) return summarize("notes.txt was read, again and again.");
  if (toolResults.length > 0) return answer("Read.");
  return userText.includes("Turn")
    ? callTools(callTool("read", { path: "notes.txt" }))
    : answer("A summary of pi's own.");
};

function modelAt(baseUrl: string): PiModel {
  return {
    id: MODEL,
    name: MODEL,
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl,
    reasoning: true,
    input: ["text"],
    cost: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    contextWindow: 40_000,
    maxTokens: 4_000,
    compat: { forceAdaptiveThinking: true },
  };
}
