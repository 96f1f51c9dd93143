import type { ModelFacts } from "palimpsest";
import type { Effort, ExtraModels } from "palimpsest/provider-parts";
import { present } from "palimpsest/schema";
import { nearest } from "../text/nearest.ts";
import type { PermissionMode } from "./decide-permission.ts";
import {
  type HookSetting,
  hookText,
  readHook,
  readToolServer,
  serverText,
  type ToolServer,
} from "./program-setting.ts";
import { type Rule, readRule } from "./rule.ts";
import {
  AGENT_SETTINGS,
  EFFORT_WORDS,
  MODES,
  readSearch,
  type SearchSetting,
  type SettingsSchema,
} from "./settings-schema.ts";

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

type MemoryUse = "off" | "read" | "on";

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

interface SettingsSources {
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

/** Facts of models as a settings file names them. What cannot be used is left out: the schema's check has named it. */
export function readModels(value: unknown): ExtraModels {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([id, given]) => [id, readModel(fieldsOf(given))]));
}

function readModel(given: Fields): Partial<ModelFacts> {
  const prices = readPrices(fieldsOf(given["prices"]));
  const counts = (["windowTokens", "maxInputTokens", "maxOutputTokens"] as const).flatMap((name) => {
    const tokens = numberOf(given[name]);
    return tokens === undefined || tokens < 1 ? [] : [[name, Math.floor(tokens)] as const];
  });
  const effort = (["levels", "budget", "none"] as const).find((word) => word === given["effort"]);
  return {
    ...Object.fromEntries(counts),
    ...(effort === undefined ? {} : { effort }),
    ...(prices === undefined ? {} : { prices }),
  };
}

/** A price that is guessed is worse than none: without both of the main ones there are none. */
function readPrices(given: Fields): ModelFacts["prices"] {
  const [input, output] = [numberOf(given["input"]), numberOf(given["output"])];
  if (input === undefined || output === undefined) return undefined;
  const cacheWrite5m = numberOf(given["cacheWrite5m"]) ?? input;
  return {
    input,
    output,
    cacheWrite5m,
    cacheRead: numberOf(given["cacheRead"]) ?? input,
    cacheWrite1h: numberOf(given["cacheWrite1h"]) ?? cacheWrite5m,
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** What in a settings file is not as its schema says, one line each, with what may have been meant. */
export function checkSettings(value: unknown, schema: SettingsSchema): readonly string[] {
  return check(value, schema, "");
}

function check(value: unknown, schema: SettingsSchema, path: string): readonly string[] {
  const { type, anyOf } = schema;
  const say = (what: string): readonly string[] => [path === "" ? what : `${path}: ${what}`];
  if (anyOf !== undefined) return nearestWay(anyOf.map((way) => check(value, way, path)));
  if (type !== undefined && typeOf(value) !== type) return say(`it is ${NAMES[type]}, not ${short(value)}`);
  if (typeof value === "string") return checkWord(value, schema).flatMap(say);
  if (typeof value === "number") return checkNumber(value, schema).flatMap(say);
  if (Array.isArray(value)) {
    const { items = {}, minItems = 0 } = schema;
    if (value.length < minItems) return say("it is empty");
    return value.flatMap((element, index) => check(element, items, `${path}[${index}]`));
  }
  return typeOf(value) === "object" ? checkFields(value as object, schema, path) : [];
}

const NAMES = { object: "an object", array: "a list", string: "a text", number: "a number" } as const;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}

function checkWord(value: string, { enum: words }: SettingsSchema): readonly string[] {
  if (words === undefined || words.includes(value)) return [];
  return [`${short(value)} is none of ${words.join(", ")}.${meant(value, words)}`];
}

function checkNumber(
  value: number,
  { exclusiveMinimum = -Infinity, maximum = Infinity }: SettingsSchema,
): readonly string[] {
  if (value > exclusiveMinimum && value <= maximum) return [];
  return [`it is above ${exclusiveMinimum} and at most ${maximum}, not ${value}`];
}

function checkFields(value: object, schema: SettingsSchema, path: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties = {} } = schema;
  const inside = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const fields = Object.entries(value).flatMap(([name, member]) => {
    if (Object.hasOwn(properties, name)) return check(member, properties[name]!, inside(name));
    if (additionalProperties !== false) return check(member, additionalProperties, inside(name));
    return [`${inside(name)}: there is no such setting.${meant(name, Object.keys(properties))}`];
  });
  return [...missing.map((name) => `${path}: it has no ${name}`), ...fields];
}

/** Of several forms a value may have: what is wrong with it by the one that it comes nearest to. */
function nearestWay(ways: readonly (readonly string[])[]): readonly string[] {
  return ways.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function meant(typed: string, words: readonly string[]): string {
  const word = nearest(typed, words);
  return word === undefined ? "" : ` Did you mean ${word}?`;
}

const SHORT_CHARACTERS = 60;

function short(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > SHORT_CHARACTERS ? `${json.slice(0, SHORT_CHARACTERS)}…` : json;
}

/** Larger files are no settings. */
export const MAX_SETTINGS_BYTES = 1_048_576;
/** What a settings file holds is six levels deep. */
const MAX_DEPTH = 32;

/** Parses a settings file, which may come from a repository that nobody trusts. A text says what is wrong with it. */
export function readSettingsJson(json: string): { readonly value: unknown } | { readonly problem: string } {
  if (json.length > MAX_SETTINGS_BYTES)
    return { problem: `the file has ${json.length} characters, at most ${MAX_SETTINGS_BYTES} are read` };
  if (isDeep(json)) return { problem: `it is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: JSON.parse(json) };
  } catch (error) {
    return { problem: `no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Looked at before it is parsed: whoever walks what is nested deeply by recursion ends. */
function isDeep(json: string): boolean {
  let depth = 0;
  // Brackets in texts are none. What is no JSON may be counted wrongly: it is refused anyway.
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "\\" && isText) at++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
