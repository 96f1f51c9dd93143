import type { HookEvent } from "palimpsest/hooks";
import type { Effort } from "palimpsest/provider-parts";
import { asObject, asString, present } from "palimpsest/schema";
import type { PermissionMode } from "./decide-permission.ts";

/** The services that WebSearch can use. */
export const SEARCH_PROVIDERS = ["brave", "tavily", "searxng"] as const;

export type SearchProvider = (typeof SEARCH_PROVIDERS)[number];

/** `search` in the user's settings. A project cannot set it: queries and the key go there. */
export interface SearchSetting {
  readonly provider: SearchProvider;
  /** @default the provider's variable */
  readonly key?: string;
  /** @default the provider's own address; for SearXNG, the variable SEARXNG_URL */
  readonly url?: string;
}

/** Reads `search`. Undefined if it does not name a provider: the check of the file has reported it. */
export function readSearch(value: unknown): SearchSetting | undefined {
  const fields = asObject(value);
  const provider = SEARCH_PROVIDERS.find((name) => name === fields?.["provider"]);
  if (fields === undefined || provider === undefined) return undefined;
  return { provider, ...present({ key: asString(fields["key"]), url: asString(fields["url"]) }) };
}

/** The part of JSON Schema (draft 7) that settings are described in. Everything in it is checked here but `pattern`. */
export interface SettingsSchema {
  readonly type?: "object" | "array" | "string" | "number";
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  /** For editors: whoever reads the value says better what is wrong with it. */
  readonly pattern?: string;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: SettingsSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, SettingsSchema>>;
  readonly required?: readonly string[];
  /** Of an object: what stands under any other name. */
  readonly additionalProperties?: false | SettingsSchema;
  readonly anyOf?: readonly SettingsSchema[];
}

/** A copy of `EFFORTS`, so that the help page does not load the engine. */
export const EFFORT_WORDS: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

/** What each mode allows by itself. */
export const MODES: Readonly<Record<PermissionMode, string>> = {
  auto: "commands and edits run without asking in the sandbox and the project; network, protected files and files outside of the project are asked. Without a sandbox it is like default",
  default: "reading is allowed, the rest is asked",
  "accept-edits": "changing files of the project is allowed as well",
  plan: "nothing is changed before a plan is approved",
  bypass: "nothing is asked; only the user's own settings can say so",
};

const EVENTS: Readonly<Record<HookEvent, string>> = {
  PreToolUse: "before a tool runs; may block it or change its input",
  PermissionRequest: "before the user is asked; may allow or deny",
  PostToolUse: "after a tool has run; may add text for the model",
  Stop: "when the model has finished its turn; blocking makes it continue",
  SubagentStart: "when a subagent starts",
  SubagentStop: "when a subagent has finished",
  SessionStart: "when a session is started, resumed, cleared or compacted; may add text for the model",
  SessionEnd: "when a session is closed",
  PreCompact: "before a compaction; may block it or add instructions",
  PostCompact: "after a compaction, with its summary",
  InstructionsLoaded: "when an instruction file has become part of the request",
};

const listed = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .map(([word, about]) => `${word}: ${about}.`)
    .join(" ");

const text = (description: string): SettingsSchema => ({ type: "string", description });
const texts = (description: string): SettingsSchema => ({
  type: "array",
  items: { type: "string" },
  default: [],
  description,
});
const rules = (description: string): SettingsSchema => ({
  type: "array",
  default: [],
  description,
  items: { type: "string", pattern: "^\\s*[\\w*-]+(\\((.|\\n)+\\))?\\s*$" },
});
const object = (
  properties: Readonly<Record<string, SettingsSchema>>,
  { required, ...rest }: { readonly description?: string; readonly required?: readonly string[] } = {},
): SettingsSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...rest,
  ...(required === undefined ? {} : { required }),
});
const named = (items: SettingsSchema, description: string): SettingsSchema => ({
  type: "object",
  additionalProperties: items,
  description,
});

/** A program and its arguments. */
const PROGRAM: SettingsSchema = { type: "array", items: { type: "string" }, minItems: 1 };

/** A timer that is set for longer fires at once. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

/** Of hooks and of servers: how they are started. */
const ENCLOSURE: Readonly<Record<string, SettingsSchema>> = {
  sandbox: {
    type: "string",
    enum: ["on", "off"],
    default: "on",
    description:
      "off: it runs outside of the sandbox, with all the rights of your user. Only in your own settings, not in a project's.",
  },
  hosts: texts("Hosts that it may reach from the sandbox, besides allowedHosts."),
};

const HOOK = object(
  {
    event: { type: "string", enum: Object.keys(EVENTS), description: `When the hook runs. ${listed(EVENTS)}` },
    command: {
      description: "A shell command, or a program with its arguments. It gets the event as JSON on standard input.",
      anyOf: [{ type: "string" }, PROGRAM],
    },
    tools: text('For tool events: run only for these tools. Separate names with "|"; "*" matches any characters.'),
    timeoutMs: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: MAX_TIMEOUT_MS,
      default: 60_000,
      description: "The time limit in milliseconds. After it the hook is stopped, and the session continues.",
    },
    ...ENCLOSURE,
  },
  { required: ["event", "command"] },
);

const SERVER: SettingsSchema = {
  anyOf: [
    object(
      {
        command: { ...PROGRAM, description: "The server program, which uses standard input and output." },
        environment: named(
          { type: "string" },
          "Environment variables for the server, in addition to the agent's own without secrets.",
        ),
        project: {
          type: "string",
          enum: ["read", "write"],
          default: "read",
          description: "write: in the sandbox, the server may change files of the project.",
        },
        ...ENCLOSURE,
      },
      { required: ["command"] },
    ),
    object(
      {
        url: text("The address of a server over HTTP."),
        headers: named({ type: "string" }, "HTTP headers for every call."),
      },
      { required: ["url"] },
    ),
  ],
};

const tokens = (description: string): SettingsSchema => ({
  type: "number",
  exclusiveMinimum: 0,
  maximum: 100_000_000,
  description,
});
const price = (description: string): SettingsSchema => ({
  type: "number",
  exclusiveMinimum: -1,
  maximum: 100_000,
  description,
});

/** The user's own facts about a model. */
const MODEL = object({
  windowTokens: tokens("The context window, in tokens."),
  maxInputTokens: tokens("The longest input in tokens, if it is less than the window."),
  maxOutputTokens: tokens("The longest answer, in tokens."),
  effort: {
    type: "string",
    enum: ["levels", "budget", "none"],
    description:
      "How the model takes an effort. levels: by a word. budget: by a number of tokens for thinking. none: it takes no effort.",
  },
  prices: object(
    {
      input: price("Fresh input."),
      output: price("Output."),
      cacheRead: price("Input read from the cache. Default: the price of fresh input."),
      cacheWrite5m: price("Input written to the cache for 5 minutes. Default: the price of fresh input."),
      cacheWrite1h: price("Input written to the cache for an hour. Default: the price for 5 minutes."),
    },
    { required: ["input", "output"], description: "US dollars per million tokens." },
  ),
});

/**
 * The schema of `settings.json`, of the user (in PALIMPSEST_HOME) or of a project (in `.palimpsest`).
 * apps/agent/settings.schema.json is generated from it, and unknown names in a file are reported.
 */
export const AGENT_SETTINGS: SettingsSchema = object(
  {
    $schema: text("The address of this schema, for editors."),
    permissions: object(
      {
        mode: { type: "string", enum: Object.keys(MODES), default: "auto", description: listed(MODES) },
        deny: rules(
          "Tool calls that are never allowed: Tool or Tool(pattern), as in Read(.env). Deny rules override all others.",
        ),
        ask: rules("Tool calls that always need your permission."),
        allow: rules("Tool calls that are allowed without asking: Bash(npm test *), Edit(src/**), Network."),
        folders: texts("Folders outside of the project that tools may use."),
      },
      {
        description: "What tools may do. A project's own rules apply after you trust the project (palimpsest trust).",
      },
    ),
    hooks: { type: "array", items: HOOK, default: [], description: "Commands that run at events." },
    sandbox: {
      type: "string",
      enum: ["required", "if-present"],
      default: "if-present",
      description:
        "required: commands run only in a sandbox. if-present: without a sandbox on this system, commands run unprotected.",
    },
    keptEnvironment: texts(
      "Variables of the environment that commands get, besides PATH and others that hold no secrets.",
    ),
    readablePaths: texts(
      "Files and folders outside of the project that commands in the sandbox may read, besides toolchains. A path begins at the home.",
    ),
    allowedHosts: texts("Hosts that every command in the sandbox may reach: registry.npmjs.org, *.example.com."),
    servers: named(SERVER, "MCP servers (Model Context Protocol), by name. Their tools start with that name."),
    extensions: texts(
      "Your own extensions: modules that export `open(context)`. A path starts at the folder of this file; a name is a package in its node_modules. Extensions of a project are opened after you trust the project.",
    ),
    models: named(
      MODEL,
      "Your own facts about models, by the start of their ids. They override the built-in table. Only in your own settings, not in a project's.",
    ),
    provider: {
      type: "string",
      enum: ["anthropic", "openai", "openai-chat", "bedrock"],
      description:
        "The provider of new sessions. Default: the one whose API key is set. Only in your own settings, not in a project's.",
    },
    model: text(
      "The model of new sessions. Default: the provider's standard model. Only in your own settings, not in a project's.",
    ),
    effort: {
      type: "string",
      enum: EFFORT_WORDS,
      description:
        "How much the model thinks before it answers, in new sessions. Default: as the provider decides. Only in your own settings, not in a project's.",
    },
    web: {
      type: "string",
      enum: ["on", "off"],
      default: "off",
      description: "Whether the agent has a tool that fetches public web pages.",
    },
    search: object(
      {
        provider: { type: "string", enum: SEARCH_PROVIDERS, description: "The search service." },
        key: text("The key for Brave or Tavily. Default: the variable BRAVE_API_KEY or TAVILY_API_KEY."),
        url: text(
          "The address of your SearXNG server. Default: the variable SEARXNG_URL. For Brave and Tavily: another address of the service.",
        ),
      },
      {
        required: ["provider"],
        description:
          "The search service of the tool WebSearch. Default: the one whose variable is set; without one, there is no such tool. Only in your own settings, not in a project's.",
      },
    ),
    flags: text(
      "A module with the client of a feature flag service. It exports `flags`, an OpenFeature client, and may export `close`. The path starts at the folder of this file. Only in your own settings, not in a project's.",
    ),
    memory: {
      type: "string",
      enum: ["off", "read", "on"],
      default: "read",
      description:
        "The memory of a project. read: the model sees the topics, and saves what you tell it to. on: the agent also saves memories from each turn by itself, and tidies them up between turns. The first start in a terminal asks for it. off: no topic is read or written.",
    },
  },
  { description: "Settings of the palimpsest agent: settings.json of the user or of a project." },
);
