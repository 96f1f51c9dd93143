/**
 * A program that uses the packed library, as an outsider writes it: it supplies tools, agents and folder rules. One argument,
 * JSON with a `HostTask`. Prints the answer to each command as one line of JSON.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { type Agents, createAgents } from "@palimpsest/agents";
import { attachment, openSession, type Provider, query, type Session, type Tool, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { bedrock } from "palimpsest/bedrock";
import { gemini } from "palimpsest/gemini";
import { openaiResponses } from "palimpsest/openai";
import { sqliteStore } from "palimpsest/sqlite";

export type HostCommand =
  | { readonly kind: "turn"; readonly text: string }
  | { readonly kind: "cost" }
  | { readonly kind: "compact" };

export interface HostTask {
  readonly api: "anthropic" | "openai" | "bedrock" | "gemini";
  readonly model: string;
  /** Of the simulator. */
  readonly url: string;
  /** The folder of the session's log. */
  readonly logs: string;
  /** The folder with the files that the tools read and write. */
  readonly project: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly commands: readonly HostCommand[];
}

/** The file with the rules of a folder, by this host's convention. */
const RULES = "AGENTS.md";
const SYSTEM = "You are a careful assistant. You work on a project with the tools below.";

await work(JSON.parse(process.argv[2]!) as HostTask);

async function work(task: HostTask): Promise<void> {
  const { logs, project, model, settings } = task;
  const common = { store: sqliteStore({ folder: logs }), provider: await connect(task), model, settings };
  const rules = createFolderRules(project);
  const surroundings = { readFile: rules.readFile, folderRules: rules.shown };
  const session = await openSession({ ...common, id: "ladder", system: SYSTEM, surroundings });
  rules.follow(session);
  const tools = toolsOf(project, rules);
  const openChild = ({ id, system = "" }: { id: string; system?: string }) => openSession({ ...common, id, system });
  const agents = createAgents({ session, store: common.store, tools, readOnlyTools: ["Read"], openChild });
  for (const command of task.commands) console.log(JSON.stringify(await obey(command, { session, agents, tools })));
  await agents.close();
  await session.close();
}

interface Running {
  readonly session: Session;
  readonly agents: Agents;
  readonly tools: readonly Tool[];
}

async function obey(command: HostCommand, { session, agents, tools }: Running): Promise<unknown> {
  if (command.kind === "cost") return session.ledger.cost();
  if (command.kind === "compact") return session.compact();
  const all = [...tools, ...agents.tools];
  const turn = { tools: all, inbox: agents.inbox };
  let outcome: unknown;
  for await (const event of query(session, { ...turn, prompt: command.text })) {
    if (event.kind === "turn-ended") outcome = event.outcome;
  }
  while ((await agents.idle()) === "waiting") for await (const _ of query(session, turn));
  return outcome;
}

/** A client for the service, which is imported by its name so that only the one that is needed is loaded. */
async function connect({ api, url }: HostTask): Promise<Provider> {
  const load = async (name: string) => (await import(name)) as Record<string, new (options: object) => never>;
  switch (api) {
    case "anthropic": {
      const { Anthropic } = await load("@anthropic-ai/sdk");
      return anthropic(new Anthropic!({ apiKey: "none", baseURL: url, maxRetries: 0 })) as Provider;
    }
    case "openai": {
      const { OpenAI } = await load("openai");
      return openaiResponses(new OpenAI!({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 })) as Provider;
    }
    case "bedrock": {
      const { BedrockRuntime } = await load("@aws-sdk/client-bedrock-runtime");
      const credentials = { token: { token: "none" }, authSchemePreference: ["httpBearerAuth"] };
      return bedrock(new BedrockRuntime!({ ...credentials, endpoint: url, region: "us-east-1" })) as Provider;
    }
    case "gemini": {
      const { GoogleGenAI } = await load("@google/genai");
      return gemini(new GoogleGenAI!({ apiKey: "none", httpOptions: { baseUrl: url } })) as Provider;
    }
  }
}

interface FolderRules {
  readonly readFile: (path: string) => Promise<string | undefined>;
  /** The rules that are in use, most recently touched first. The session shows them again after a compaction. */
  readonly shown: () => Promise<readonly { readonly path: string; readonly text: string }[]>;
  follow(session: Session): void;
  /** Shows the rules of a path's folder to the model, once. */
  touch(path: string): Promise<void>;
}

/** The rules of folders in the project. The log says which of them the model has seen. */
function createFolderRules(project: string): FolderRules {
  let session: Session | undefined;
  const touched: string[] = [];
  const textOf = (path: string): string => `Rules of ${path}:\n${readFileSync(join(project, path), "utf8")}`;
  return {
    async readFile(path) {
      const file = join(project, path);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    async shown() {
      return touched.toReversed().map((path) => ({ path, text: readFileSync(join(project, path), "utf8") }));
    },
    follow(opened) {
      session = opened;
      const paths = opened.view.attached("folder-rules").flatMap((text) => /^Rules of (.+):/.exec(text)?.[1] ?? []);
      touched.push(...paths);
    },
    async touch(path) {
      const rules = relative(project, join(project, dirname(path), RULES));
      if (!existsSync(join(project, rules))) return;
      if (touched.includes(rules)) touched.splice(touched.indexOf(rules), 1);
      touched.push(rules);
      const text = textOf(rules);
      if (session!.view.attached("folder-rules").includes(text)) return;
      await session!.append(attachment("folder-rules", text, { kind: "project", name: rules }));
    },
  };
}

function toolsOf(project: string, rules: FolderRules): readonly Tool[] {
  const text = (description: string) => ({ type: "string", description }) as const;
  const inputSchema = (properties: Readonly<Record<string, object>>) => ({ type: "object", properties }) as const;
  const path = { file_path: text("The path of the file") };
  return [
    tool<{ file_path: string }>({
      name: "Read",
      description: "Reads a file of the project.",
      inputSchema: inputSchema(path),
      concurrency: "safe",
      async execute({ file_path }) {
        await rules.touch(file_path);
        return readFileSync(join(project, file_path), "utf8");
      },
    }),
    tool<{ file_path: string; content: string }>({
      name: "Write",
      description: "Writes a file of the project.",
      inputSchema: inputSchema({ ...path, content: text("The whole content") }),
      sideEffects: "some",
      async execute({ file_path, content }) {
        await rules.touch(file_path);
        writeFileSync(join(project, file_path), content);
        return `${file_path} was written.`;
      },
    }),
    tool<{ file_path: string; old_string: string; new_string: string }>({
      name: "Edit",
      description: "Replaces a text in a file of the project.",
      inputSchema: inputSchema({ ...path, old_string: text("The old text"), new_string: text("The new text") }),
      sideEffects: "some",
      async execute({ file_path, old_string, new_string }) {
        await rules.touch(file_path);
        const file = join(project, file_path);
        writeFileSync(file, readFileSync(file, "utf8").replace(old_string, new_string));
        return `${file_path} was changed.`;
      },
    }),
    tool<{ command: string }>({
      name: "Bash",
      description: "Runs a command in the project.",
      inputSchema: inputSchema({ command: text("The command") }),
      sideEffects: "some",
      async execute({ command }) {
        const shown = /^(?:cat|head -n \d+) (\S+)$/.exec(command)?.[1];
        if (shown !== undefined) await rules.touch(shown);
        const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: project, maxBuffer: 2 ** 24 });
        return stdout;
      },
    }),
  ];
}
