import type { Effort, ExtraModels } from "palimpsest/provider-parts";
import { present } from "palimpsest/schema";
import { checkSettings } from "./check-settings.ts";
import type { PermissionMode } from "./decide-permission.ts";
import { type HookSetting, hookText, readHook } from "./hook-setting.ts";
import { readModels } from "./read-models.ts";
import { readSettingsJson } from "./read-settings-json.ts";
import { type Rule, readRule } from "./rule.ts";
import { readSearch, type SearchSetting } from "./search-setting.ts";
import { AGENT_SETTINGS, EFFORT_WORDS, MODES } from "./settings-schema.ts";
import { readToolServer, serverText, type ToolServer } from "./tool-server.ts";

/** A module with an extension, as a settings file names it. */
export interface ExtensionSetting {
  /** A path from the folder of the settings file, or the name of a package in its `node_modules`. */
  readonly module: string;
  readonly from: Rule["from"];
}

/** What settings files say about tools. */
export interface AgentSettings {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  /** Folders beside the project that tools may use. */
  readonly folders: readonly string[];
  readonly sandbox: "required" | "if-present";
  /** Names of secrets in the environment that commands may have. */
  readonly keptEnvironment: readonly string[];
  /** Files and folders outside of the project that commands may read, besides toolchains. */
  readonly readablePaths: readonly string[];
  /** Hosts that every command may reach. */
  readonly allowedHosts: readonly string[];
  readonly hooks: readonly HookSetting[];
  /** In this order their tools stand in the prompt. Of two with one name, the user's counts. */
  readonly servers: readonly ToolServer[];
  /** The user's own extensions, in the order in which they are opened. A project's count once it is trusted. */
  readonly extensions: readonly ExtensionSetting[];
  /** What the user knows of models, by the start of their ids. Never a project's. */
  readonly models: ExtraModels;
  /** Provider and model of new sessions. Never a project's. @default by the API key that is set */
  readonly provider?: string;
  readonly model?: string;
  /** How much the model thinks in new sessions. Never a project's. @default as the provider decides */
  readonly effort?: Effort;
  /** Whether there is a tool that fetches pages. @default "off": where nobody looks, nobody sees where it goes */
  readonly web: "on" | "off";
  /** The user's search service. Never a project's. @default the one whose key or address is in the environment */
  readonly search?: SearchSetting;
  /** `on`: memories are saved from each turn, and dreams tidy them up. The first start on a screen asks. @default "read": topics are shown, and saved when asked for */
  readonly memory: MemoryUse;
  /** The module with the client of a flag service. @default none */
  readonly flags?: string;
}

export type MemoryUse = "off" | "read" | "on";

const MEMORY_USES: readonly MemoryUse[] = ["off", "read", "on"];

const DEFAULT_AGENT_SETTINGS: AgentSettings = {
  mode: "auto",
  rules: [],
  folders: [],
  sandbox: "if-present",
  keptEnvironment: [],
  readablePaths: [],
  allowedHosts: [],
  hooks: [],
  servers: [],
  extensions: [],
  models: {},
  web: "off",
  memory: "read",
};

export interface ReadSettings {
  readonly settings: Partial<AgentSettings>;
  /** What could not be used, one line each. */
  readonly problems: readonly string[];
}

/** Reads a settings file. What cannot be used is left out and named: half of the settings is better than none. */
export function readSettings(json: string, from: Rule["from"]): ReadSettings {
  const problems: string[] = [];
  const say = (problem: string): [] => {
    problems.push(`settings of the ${from}: ${problem}`);
    return [];
  };
  const read = readSettingsJson(json);
  if ("problem" in read) {
    say(read.problem);
    return { settings: {}, problems };
  }
  const parsed = read.value;
  // Whatever does not fit is said here, and passed over in silence below.
  for (const problem of checkSettings(parsed, AGENT_SETTINGS)) say(problem);
  const file = fieldsOf(parsed);
  const permissions = fieldsOf(file["permissions"]);
  const texts = (fields: Fields, name: string): readonly string[] => {
    const value = fields[name];
    return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
  };
  const written = (["deny", "ask", "allow"] as const).flatMap((decision) =>
    texts(permissions, decision).flatMap(
      (text) => readRule(text, decision, from) ?? say(`${JSON.stringify(text.slice(0, SHOWN_CHARACTERS))} is no rule`),
    ),
  );
  const rules = firstRules(written);
  if (rules.length < written.length) {
    say(`permissions: only the first ${rules.length} of ${written.length} rules are used; together they are too long`);
  }
  const mode = (Object.keys(MODES) as PermissionMode[]).find((name) => name === permissions["mode"]);
  const hooks = Array.isArray(file["hooks"]) ? file["hooks"].flatMap((hook) => readHook(hook, from, say) ?? []) : [];
  const servers = Object.entries(fieldsOf(file["servers"])).flatMap(([name, value]) => {
    const server = readToolServer(name, value, from, say);
    return typeof server === "string" ? say(server) : [server];
  });
  const sandbox = (["required", "if-present"] as const).find((word) => word === file["sandbox"]);
  const web = (["on", "off"] as const).find((word) => word === file["web"]);
  const memory = MEMORY_USES.find((word) => word === file["memory"]);
  const named = typeof file["flags"] === "string" && file["flags"] !== "" ? file["flags"] : undefined;
  // It is code, run with the user's rights at every start.
  if (named !== undefined && from === "project") say("flags: only your own settings can name a module");
  const flags = from === "project" ? undefined : named;
  const models = readModels(file["models"]);
  if (from === "project" && file["models"] !== undefined)
    say("models: a project cannot say this. Put it into your own settings.json.");
  const effort = EFFORT_WORDS.find((word) => word === file["effort"]);
  const [provider, model] = (["provider", "model"] as const).map((name) =>
    typeof file[name] === "string" ? file[name] : undefined,
  );
  const search = readSearch(file["search"]);
  for (const [name, value] of Object.entries({ provider, model, effort, search })) {
    if (from === "project" && value !== undefined)
      say(`${name}: a project cannot say this. Put it into your own settings.json.`);
  }
  const settings: Partial<AgentSettings> = {
    ...(from === "user" ? { models, ...present({ provider, model, effort, search }) } : {}),
    rules,
    hooks,
    servers,
    folders: texts(permissions, "folders"),
    keptEnvironment: texts(file, "keptEnvironment"),
    readablePaths: texts(file, "readablePaths"),
    allowedHosts: texts(file, "allowedHosts"),
    extensions: texts(file, "extensions").map((module) => ({ module, from })),
    ...(mode === undefined ? {} : { mode }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(web === undefined ? {} : { web }),
    ...(memory === undefined ? {} : { memory }),
    ...(flags === undefined ? {} : { flags }),
  };
  return { settings, problems };
}

const SHOWN_CHARACTERS = 100;
/** Of the patterns of one file together. Each call is held against all of them. */
const MAX_PATTERN_CHARACTERS = 65_536;

function firstRules(rules: readonly Rule[]): readonly Rule[] {
  let characters = 0;
  return rules.filter(({ tool, pattern = "" }) => {
    characters += tool.length + pattern.length;
    return characters <= MAX_PATTERN_CHARACTERS;
  });
}

export interface SettingsSources {
  readonly user?: Partial<AgentSettings>;
  readonly project?: Partial<AgentSettings>;
  /** Whether the user has said yes to the project's settings, as they are now. */
  readonly trust: "trusted" | "untrusted";
}

export interface MergedSettings {
  readonly settings: AgentSettings;
  /** What the project's settings want and do not get before they are trusted, one line each. */
  readonly heldBack: readonly string[];
}

/** One set of settings. A repository that nobody has trusted yet can only forbid: it gives no leave and runs nothing. */
export function mergeSettings({ user = {}, project = {}, trust }: SettingsSources): MergedSettings {
  const {
    rules = [],
    folders = [],
    keptEnvironment = [],
    readablePaths = [],
    allowedHosts = [],
    hooks = [],
    servers = [],
    extensions = [],
    mode,
    sandbox,
    web,
    memory,
  } = project;
  const narrowing = rules.filter(({ decision }) => decision !== "allow");
  const trusted = trust === "trusted";
  const base = { ...DEFAULT_AGENT_SETTINGS, ...user };
  const settings: AgentSettings = {
    // Nobody but the user himself can want not to be asked.
    mode: trusted && mode !== undefined && mode !== "bypass" ? mode : base.mode,
    rules: [...base.rules, ...(trusted ? rules : narrowing)],
    folders: [...base.folders, ...(trusted ? folders : [])],
    sandbox: sandbox === "required" ? "required" : base.sandbox,
    keptEnvironment: [...base.keptEnvironment, ...(trusted ? keptEnvironment : [])],
    readablePaths: [...base.readablePaths, ...(trusted ? readablePaths : [])],
    allowedHosts: [...base.allowedHosts, ...(trusted ? allowedHosts : [])],
    hooks: [...base.hooks, ...(trusted ? hooks : [])],
    extensions: [...base.extensions, ...(trusted ? extensions : [])],
    models: base.models,
    ...present({ provider: base.provider, model: base.model, effort: base.effort, search: base.search }),
    web: web === "off" || (web === "on" && trusted) ? web : base.web,
    // Less is always granted.
    memory:
      memory !== undefined && MEMORY_USES.indexOf(memory) < MEMORY_USES.indexOf(base.memory) ? memory : base.memory,
    ...(base.flags === undefined ? {} : { flags: base.flags }),
    servers: [...base.servers, ...(trusted ? servers.filter(({ name }) => !isNamed(base.servers, name)) : [])],
  };
  const heldBack = trusted
    ? []
    : [
        ...rules
          .filter(({ decision }) => decision === "allow")
          .map(({ tool, pattern }) => `allow ${tool}${pattern === undefined ? "" : `(${pattern})`}`),
        ...(mode === undefined ? [] : [`mode ${mode}`]),
        ...folders.map((folder) => `folder ${folder}`),
        ...keptEnvironment.map((name) => `environment ${name}`),
        ...readablePaths.map((path) => `commands read ${path}`),
        ...allowedHosts.map((host) => `commands reach ${host}`),
        ...hooks.map(hookText),
        ...servers.map(serverText),
        ...extensions.map(({ module }) => `extension ${module}`),
        ...(web === "on" ? ["web on"] : []),
      ];
  return { settings, heldBack };
}

function isNamed(servers: readonly ToolServer[], wanted: string): boolean {
  return servers.some(({ name }) => name === wanted);
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
