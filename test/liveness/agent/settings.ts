import { callTool, callTools } from "@palimpsest/provider-simulator";
import type { SettingsSchema } from "../../../apps/agent/src/permissions/settings-schema.ts";
import { startHttpToolServer, TOOL_SERVER } from "../../../apps/agent/src/testing/tool-server.ts";
import type { Witness } from "../witness.ts";
import { type AgentValues, withAgent } from "./world.ts";

/** Two settings files that differ in one place, which must make a difference that can be seen. */
export interface FileExperiment {
  readonly files: readonly [AgentValues, AgentValues];
  readonly drive?: (settings: AgentValues, witness: Witness) => Promise<unknown>;
}

/** The client of a flag service that switches agents off. */
const EXTENSION =
  'export const open = () => ({ name: "day", head: { text: async () => "It is a good day.", changes: async () => undefined } });';
const FLAGS = `
  const details = async (flag, absent) => ({ value: flag === "palimpsest.agents.enabled" ? "off" : absent });
  export const flags = { getStringDetails: details, getNumberDetails: details, getObjectDetails: details };
`;

/** A turn that reads, writes, runs a command, and looks outside of the project. */
function useTools(settings: AgentValues, witness: Witness): Promise<unknown> {
  const environment = { SOME_TOKEN: "a-secret" };
  const calls = [
    callTool("Read", { file_path: "notes.txt" }),
    callTool("Write", { file_path: "new.txt", content: "new" }),
    callTool("Bash", { command: "echo token $SOME_TOKEN" }),
    callTool("Read", { file_path: "/etc/hostname" }),
  ];
  const setup = { settings, environment, homeFiles: { "flags.mjs": FLAGS, "extension.mjs": EXTENSION } };
  return withAgent({ ...setup, replies: calls.map((call) => callTools(call)) }, witness, async (world) => {
    world.put("notes.txt", "To be read.");
    await world.run("-p", "Do it.", "--output-format", "stream-json");
  });
}

/** What is said of the sandbox. */
function useDoctor(settings: AgentValues, witness: Witness): Promise<unknown> {
  const environment = { PATH: process.env["PATH"] ?? "" };
  return withAgent({ settings, environment }, witness, async (world) => {
    await world.run("doctor", "--json");
  });
}

/** The tool of a server over HTTP that wants to be told a word; `URL` in the settings is where it is. */
async function useServer(settings: AgentValues, witness: Witness): Promise<unknown> {
  const server = await startHttpToolServer("word");
  try {
    const there = JSON.parse(JSON.stringify(settings).replaceAll("URL", server.url)) as AgentValues;
    const seen = (await useTools(there, witness)) as string;
    return seen.replaceAll(server.url, "URL");
  } finally {
    server.stop();
  }
}

/** Two turns with a model that the settings know better, what fills its window, and what it cost. */
const useModel = (settings: AgentValues, witness: Witness): Promise<unknown> => sayTwice(settings, witness, 0);

/** With a pause between them, after which the system prompt is cached for an hour. */
const useModelLater = (settings: AgentValues, witness: Witness): Promise<unknown> =>
  sayTwice(settings, witness, 10 * 60_000);

function sayTwice(settings: AgentValues, witness: Witness, pauseMs: number): Promise<unknown> {
  return withAgent({ settings }, witness, async (world) => {
    for (const words of ["One.", "Two."]) {
      const more = words === "One." ? [] : ["--continue"];
      await world.run("-p", words, "--model", MODEL, "--output-format", "json", ...more);
      world.clock.advance(pauseMs);
    }
    await world.run("sessions", "context", "--json");
  });
}

const MODEL = "claude-opus-5-5";
const PRICES = { input: 4, output: 20, cacheRead: 0.2, cacheWrite5m: 5, cacheWrite1h: 8 };
const model = (facts: object): AgentValues => ({ models: { [MODEL]: facts } });
const prices = (more: object): FileExperiment => ({
  files: [model({ prices: PRICES }), model({ prices: { ...PRICES, ...more } })],
  drive: "cacheWrite1h" in more ? useModelLater : useModel,
});
const limits = (one: object, other: object): FileExperiment => ({
  files: [model(one), model(other)],
  drive: useModel,
});

const mode = (allow: readonly string[], more: object = {}): AgentValues => ({ permissions: { allow, ...more } });
const hook = (more: object): AgentValues => ({
  permissions: { mode: "accept-edits" },
  hooks: [{ event: "PreToolUse", command: "echo it is blocked >&2; exit 2", ...more }],
});
const program = (environment: object, more: object = {}): AgentValues => ({
  servers: { s: { command: [process.execPath, "--input-type=module", "-e", TOOL_SERVER], environment, ...more } },
});
const served = (fields: object): AgentValues => ({ servers: { h: fields } });
const headers = (word: string) => ({ Authorization: `Bearer ${word}` });

const search = (fields: AgentValues): AgentValues => ({ search: { provider: "brave", ...fields } });

/** By the path of a field in `settings.json`. */
export const FILE_EXPERIMENTS: Readonly<Record<string, FileExperiment>> = {
  "permissions.mode": { files: [mode([], { mode: "default" }), mode([], { mode: "accept-edits" })] },
  "permissions.deny": { files: [mode([]), mode([], { deny: ["Read(notes.txt)"] })] },
  "permissions.ask": { files: [mode([]), mode([], { ask: ["Read(notes.txt)"] })] },
  "permissions.allow": { files: [mode([]), mode(["Write(new.txt)"])] },
  "permissions.folders": { files: [mode([]), mode([], { folders: ["/etc"] })] },
  "hooks.event": { files: [hook({}), hook({ event: "PostToolUse" })] },
  "hooks.command": { files: [hook({}), hook({ command: "exit 0" })] },
  "hooks.tools": { files: [hook({ tools: "Read" }), hook({ tools: "Write" })] },
  "hooks.timeoutMs": {
    files: [hook({ command: "sleep 0.5; exit 2" }), hook({ command: "sleep 0.5; exit 2", timeoutMs: 100 })],
  },
  "hooks.sandbox": { files: [hook({}), hook({ sandbox: "off" })], drive: useDoctor },
  "hooks.hosts": { files: [hook({}), hook({ hosts: ["example.com"] })], drive: useDoctor },
  sandbox: { files: [mode(["Bash"]), { ...mode(["Bash"]), sandbox: "required" }] },
  keptEnvironment: { files: [mode(["Bash"]), { ...mode(["Bash"]), keptEnvironment: ["SOME_TOKEN"] }] },
  readablePaths: { files: [{}, { readablePaths: ["~/notes"] }], drive: useDoctor },
  allowedHosts: { files: [{}, { allowedHosts: ["registry.npmjs.org"] }], drive: useDoctor },
  "servers.command": { files: [{}, program({})] },
  "servers.environment": { files: [program({}), program({ INSTRUCTIONS: "Ask alpha first." })] },
  "servers.project": { files: [program({}), program({}, { project: "write" })], drive: useDoctor },
  "servers.sandbox": { files: [program({}), program({}, { sandbox: "off" })], drive: useDoctor },
  "servers.hosts": { files: [program({}), program({}, { hosts: ["example.com"] })], drive: useDoctor },
  "servers.url": { files: [{}, served({ url: "URL", headers: headers("word") })], drive: useServer },
  "servers.headers": {
    files: [served({ url: "URL", headers: headers("no") }), served({ url: "URL", headers: headers("word") })],
    drive: useServer,
  },
  flags: { files: [{}, { flags: "flags.mjs" }] },
  extensions: { files: [{}, { extensions: ["./extension.mjs"] }] },
  provider: { files: [{ provider: "anthropic" }, { provider: "openai" }] },
  model: { files: [{ model: MODEL }, { model: "claude-sonnet-5-5" }] },
  effort: { files: [{ effort: "low" }, { effort: "high" }] },
  "models.effort": {
    files: [
      { ...model({ effort: "levels" }), effort: "low" },
      { ...model({ effort: "none" }), effort: "low" },
    ],
    drive: useModel,
  },
  "models.windowTokens": limits({ windowTokens: 100_000 }, { windowTokens: 200_000 }),
  "models.maxInputTokens": limits({ maxInputTokens: 100_000 }, { maxInputTokens: 200_000 }),
  "models.maxOutputTokens": limits({ maxOutputTokens: 1_000 }, { maxOutputTokens: 2_000 }),
  // All input is written to the cache, which costs as much where nothing else is said.
  "models.prices.input": limits({ prices: { input: 4, output: 20 } }, { prices: { input: 3, output: 20 } }),
  "models.prices.output": prices({ output: 30 }),
  "models.prices.cacheRead": prices({ cacheRead: 0.5 }),
  "models.prices.cacheWrite5m": prices({ cacheWrite5m: 6 }),
  "models.prices.cacheWrite1h": prices({ cacheWrite1h: 9 }),
  web: { files: [{}, { web: "on" }] },
  "search.provider": { files: [search({ key: "k" }), search({ key: "k", provider: "searxng" })] },
  "search.key": { files: [search({}), search({ key: "k" })] },
  "search.url": { files: [search({ provider: "searxng" }), search({ provider: "searxng", url: "http://127.0.0.1" })] },
  memory: { files: [{ memory: "off" }, { memory: "read" }] },
};

export function driveFile({ drive = useTools }: FileExperiment): NonNullable<FileExperiment["drive"]> {
  return drive;
}

/** Every field that a settings file may have, by its path. */
export function fieldsOf({ properties = {}, items, additionalProperties, anyOf = [] }: SettingsSchema): string[] {
  const inner = [
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ...anyOf,
  ].flatMap(fieldsOf);
  const own = Object.entries(properties).flatMap(([name, schema]) => {
    const below = fieldsOf(schema);
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`);
  });
  return [...new Set([...own, ...inner])];
}
