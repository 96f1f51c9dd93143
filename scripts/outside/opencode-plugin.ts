import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Exchange,
  type Script,
  serve,
  summarize,
  think,
} from "@palimpsest/provider-simulator";
import { bundlePackage } from "../bundle-package.ts";
import { installOpencode, OPENCODE_MODEL, writeOpencodeSettings } from "./install-opencode.ts";
import { compileOutside, installOutside } from "./install-outside.ts";
import { startOpencode } from "./start-opencode.ts";

/** The newest types that the registry has. */
const TYPES = "1.18.33";
const WINDOW_TOKENS = 40_000;
const TURNS = 20;
const SECTIONS = ["Goal", "Constraints", "Progress", "Decisions", "Files", "Errors", "Next", "Open", "Words"];
const SUMMARY = SECTIONS.map(
  (name, at) => `${at + 1}. ${name}: notes.txt was read, and says which port was used.`,
).join("\n");

/**
 * The real program with the plugin as it is published, against the simulator: turns with tools, compactions, a recall, a restart in the
 * middle, opencode's own /compact. Nothing is refused, and each request begins with the one before, except after a compaction.
 */
export async function tryOpencodePlugin(root: string, version: string): Promise<void> {
  compilePlugin(root);
  const program = installOpencode(version);
  const base = mkdtempSync(join(tmpdir(), "opencode-plugin-"));
  const project = join(base, "project");
  mkdirSync(project);
  const lines = Array.from({ length: 150 }, (_, day) => `Day ${day}: it rained, and the port was ${8_000 + day}.`);
  writeFileSync(join(project, "notes.txt"), lines.join("\n"));
  const facts = ANTHROPIC_MODELS.find(({ id }) => id === OPENCODE_MODEL)!;
  const models = [{ ...facts, windowTokens: WINDOW_TOKENS }];
  const service = await serve({ faces: [createAnthropic({ models, script: scriptFor(join(project, "notes.txt")) })] });
  try {
    const plugin = [await installPlugin(root, base), { folder: join(base, "store") }] as const;
    const env = writeOpencodeSettings(project, { url: service.url, windowTokens: WINDOW_TOKENS, plugin });
    let server = await startOpencode(program, project, env);
    const session = await server.createSession();
    for (let turn = 1; turn <= TURNS; turn++) {
      await server.say(session, `Turn ${turn}: read notes.txt.`);
      if (turn !== TURNS / 2) continue;
      await server.stop();
      server = await startOpencode(program, project, env);
    }
    const recalled = await server.say(session, "Recall the notes.");
    if (!/entry \d+/.test(recalled)) throw new Error(`Nothing was recalled: ${recalled}`);
    const before = lastRequest(service.recorder.exchanges).length;
    await server.compact(session, OPENCODE_MODEL);
    await server.say(session, `Turn ${TURNS + 1}: read notes.txt.`);
    const left = await server.titles();
    await server.stop();
    const { answered, refused } = service.recorder.total();
    const { kept, broken, summaries } = comparePrefixes(service.recorder.exchanges);
    const after = lastRequest(service.recorder.exchanges).length;
    console.log(
      `opencode ${version} with the plugin: ${answered} requests, ${refused} refused, ${summaries} summaries; ${kept} requests begin with the one before, ${broken} do not; /compact: ${before} -> ${after} bytes`,
    );
    if (refused > 0 || summaries < 2 || broken > summaries || after > before || left.length !== 1)
      throw new Error(`The plugin does not do what it says. Sessions: ${left.join(", ")}. ${server.log()}`);
  } finally {
    await service.close();
    rmSync(base, { recursive: true, force: true });
  }
}

const scriptFor =
  (filePath: string): Script =>
  ({ userText, toolResults }) => {
    if (userText.includes("nine sections")) return summarize(SUMMARY);
    if (toolResults.length > 0) return answer(toolResults.at(-1)!.text.slice(0, 100));
    if (userText.includes("Recall the notes")) return callTools(callTool("recall", { search: "port" }));
    if (userText.includes("Turn")) return think("The file will tell.", callTools(callTool("read", { filePath })));
    return answer("A summary of opencode's own.");
  };

function compilePlugin(root: string): void {
  const code = `import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { type OpencodeHooks, type OpencodeInput, palimpsest } from "${root}packages/opencode/src/index.ts";

export const input = (given: PluginInput): OpencodeInput => given;
// opencode takes arguments of tools as JSON Schema, too; its types know Zod only.
export const hooks = (own: Omit<OpencodeHooks, "tool">): Hooks => own;
export const plugin = async (given: PluginInput): Promise<Hooks> => hooks(await palimpsest(given));
`;
  compileOutside(root, installOutside("@opencode-ai/plugin", TYPES), "plugin.ts", code);
}

/** Builds the plugin and the engine as they are published, beside each other, as npm would install them. */
async function installPlugin(root: string, base: string): Promise<string> {
  const names = { palimpsest: "palimpsest", opencode: "@palimpsest/opencode" };
  for (const [from, name] of Object.entries(names)) {
    const folder = join(base, "built", from);
    for (const part of ["package.json", "src"])
      cpSync(join(root, "packages", from, part), join(folder, part), { recursive: true });
    await bundlePackage({ folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) });
    cpSync(folder, join(base, "node_modules", name), { recursive: true });
  }
  return `file://${join(base, "node_modules", names.opencode)}`;
}

/** How the requests of the conversation follow each other, without cache marks. */
function comparePrefixes(exchanges: readonly Exchange[]): { kept: number; broken: number; summaries: number } {
  const all = exchanges.filter(({ body }) => body.includes('"tools"')).map(({ body }) => body);
  const own = all.filter((body) => !body.includes("nine sections"));
  const texts = own.map((body) => {
    const { system, tools, messages } = JSON.parse(body, (name, value) =>
      name === "cache_control" ? undefined : value,
    );
    return JSON.stringify([tools, system, ...messages]).slice(0, -1);
  });
  const kept = texts.filter((text, at) => at > 0 && text.startsWith(texts[at - 1]!)).length;
  return { kept, broken: texts.length - 1 - kept, summaries: all.length - own.length };
}

/** The last request of the conversation. opencode's own call for a summary has no tools. */
function lastRequest(exchanges: readonly Exchange[]): string {
  return exchanges.findLast(({ body }) => body.includes('"tools"'))!.body;
}
