import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sessionStore } from "@palimpsest/claude-agent-sdk";
import { answer, createAnthropic, type Exchange, serve } from "@palimpsest/provider-simulator";
import { sqliteStore } from "palimpsest/sqlite-store";
import { compileOutside, installOutside } from "./install-outside.ts";

const NAME = "@anthropic-ai/claude-agent-sdk";
const MODEL = "claude-opus-5-5";

interface Message {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly result?: string;
}
type Query = (call: { prompt: string; options: Record<string, unknown> }) => AsyncIterable<Message>;

/** The real SDK with its own program: one machine asks, another one resumes from the store and asks again. */
export async function tryClaudeAgentSdk(root: string, version: string): Promise<void> {
  const installed = installOutside(NAME, version);
  compileOutside(root, installed, "store.ts", typeProgram(root));
  const { query } = (await import(
    pathToFileURL(createRequire(join(installed, "package.json")).resolve(NAME)).href
  )) as { query: Query };
  const server = await serve({ faces: [createAnthropic({ script: ({ userText }) => answer(reply(userText)) })] });
  const base = mkdtempSync(join(tmpdir(), "claude-agent-sdk-"));
  try {
    const ask = async (machine: string, prompt: string, resume?: string): Promise<Message> => {
      const store = sqliteStore({ folder: join(base, "store") });
      const transcripts = sessionStore({ store });
      const home = mkdtempSync(join(base, machine));
      const env = { PATH: process.env["PATH"], HOME: home, CLAUDE_CONFIG_DIR: join(home, "claude") };
      const service = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "none", DISABLE_TELEMETRY: "1" };
      const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
      let last: Message | undefined;
      const options = {
        sessionStore: transcripts,
        model: MODEL,
        cwd: base,
        settingSources: [],
        tools: [],
        maxTurns: 2,
      };
      for await (const message of query({
        prompt,
        options: { ...options, env: { ...env, ...service, ...quiet }, ...(resume && { resume }) },
      })) {
        if (message.subtype === "mirror_error") throw new Error(JSON.stringify(message));
        last = message;
      }
      await transcripts.close();
      await store.close();
      if (last?.subtype !== "success") throw new Error(`The agent ended with ${JSON.stringify(last)}.`);
      return last;
    };
    const first = await ask("one", "The port is 8080. Remember it.");
    const second = await ask("two", "Which port?", first.session_id!);
    const sent = textsOf(server.recorder.exchanges.at(-1)!);
    if (!sent.includes("The port is 8080"))
      throw new Error("The second machine did not send what the first one was told.");
    // Its program first asks with fields of a beta that the simulator does not know, and then without them.
    const { refused } = server.recorder.total();
    console.log(
      `${NAME} ${version}: ${first.session_id} resumed elsewhere: "${second.result}" (refused at first: ${refused})`,
    );
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
}

function reply(userText: string): string {
  return userText.includes("Which port") ? "It is 8080." : "Noted.";
}

function textsOf({ body }: Exchange): string {
  return JSON.stringify(JSON.parse(body).messages);
}

function typeProgram(root: string): string {
  return `import type { SessionStore } from "${NAME}";
import { sessionStore } from "${root}packages/claude-agent-sdk/src/index.ts";
import { memoryStore } from "${root}packages/palimpsest/src/index.ts";

export const store: SessionStore = sessionStore({ store: memoryStore() });
`;
}
