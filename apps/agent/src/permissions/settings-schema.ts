import type { HookEvent } from "palimpsest/hooks";
import type { PermissionMode } from "./decide-permission.ts";

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

/** What each mode allows by itself. */
export const MODES: Readonly<Record<PermissionMode, string>> = {
  auto: "in the sandbox commands and changes of files that stay in the project run without a question; network, protected files and files outside of the project are asked. Without a sandbox it is as default",
  default: "reading is allowed, the rest is asked",
  "accept-edits": "changing files of the project is allowed as well",
  plan: "nothing is changed before a plan is approved",
  bypass: "nothing is asked; only the user's own settings can say so",
};

const EVENTS: Readonly<Record<HookEvent, string>> = {
  PreToolUse: "before a tool is run; may block it or change its input",
  PermissionRequest: "before somebody is asked; may allow or deny",
  PostToolUse: "after a tool was run; may add to what the model sees",
  Stop: "the model has finished its turn; blocking makes it go on",
  SubagentStart: "an agent of the agent begins",
  SubagentStop: "an agent of the agent has finished",
  SessionStart: "a session was begun, resumed, cleared or compacted; may add to what the model sees",
  SessionEnd: "a session was closed",
  PreCompact: "before a compaction; may block it or add instructions",
  PostCompact: "after a compaction, with its summary",
  InstructionsLoaded: "a file of instructions has become part of the request",
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

const HOOK = object(
  {
    event: { type: "string", enum: Object.keys(EVENTS), description: `When it is run. ${listed(EVENTS)}` },
    command: {
      description:
        "A line for the shell, or a program with its arguments. It is told the event as JSON on its standard input.",
      anyOf: [{ type: "string" }, PROGRAM],
    },
    tools: text('At events of tools: only of these, several with "|" between them, "*" for any characters.'),
    timeoutMs: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: MAX_TIMEOUT_MS,
      default: 60_000,
      description: "It is ended after so long, and the session goes on.",
    },
  },
  { required: ["event", "command"] },
);

const SERVER: SettingsSchema = {
  anyOf: [
    object(
      {
        command: { ...PROGRAM, description: "The program that serves on its standard input and output." },
        environment: named({ type: "string" }, "Variables for it, beside the agent's own without its secrets."),
      },
      { required: ["command"] },
    ),
    object(
      {
        url: text("Where it serves over HTTP."),
        headers: named({ type: "string" }, "Sent with every call."),
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

/** What the user knows of a model. */
const MODEL = object({
  windowTokens: tokens("Its context window, in tokens."),
  maxInputTokens: tokens("The input it takes, where that is less than its window."),
  maxOutputTokens: tokens("The longest answer that it writes."),
  prices: object(
    {
      input: price("Fresh input."),
      output: price("Output."),
      cacheRead: price("Input that is read from the cache. Default: as fresh input."),
      cacheWrite5m: price("Input that is written to the cache for 5 minutes. Default: as fresh input."),
      cacheWrite1h: price("Input that is written to the cache for an hour. Default: as for 5 minutes."),
    },
    { required: ["input", "output"], description: "US dollars for a million tokens." },
  ),
});

/**
 * What may stand in `settings.json`, of the user (in PALIMPSEST_HOME) or of a project (in `.palimpsest`). The only place
 * where it is said: apps/agent/settings.schema.json is written from it, and what a file holds beside it is named.
 */
export const AGENT_SETTINGS: SettingsSchema = object(
  {
    $schema: text("Where this schema is, for editors."),
    permissions: object(
      {
        mode: { type: "string", enum: Object.keys(MODES), default: "default", description: listed(MODES) },
        deny: rules(
          "Calls that are never made: Tool or Tool(pattern), as in Read(.env). They hold against all others.",
        ),
        ask: rules("Calls that are always asked about."),
        allow: rules("Calls that need not be asked about: Bash(npm test *), Edit(src/**), Network."),
        folders: texts("Folders beside the project that tools may use."),
      },
      {
        description: "What tools may do. What a project allows holds once the user has trusted it (palimpsest trust).",
      },
    ),
    hooks: { type: "array", items: HOOK, default: [], description: "Commands that are run at events." },
    sandbox: {
      type: "string",
      enum: ["required", "if-present"],
      default: "if-present",
      description: "Whether commands are run without a sandbox where the system has none.",
    },
    keptEnvironment: texts("Names of secrets in the environment that commands may have; others are taken out."),
    servers: named(SERVER, "Servers of tools (Model Context Protocol), by the name that their tools begin with."),
    extensions: texts(
      "Your own extensions: modules that export `open(context)`. A path begins at the folder of this file; a name is a package in its node_modules. A project's are code of the project: they are opened once the user has trusted its settings.",
    ),
    models: named(
      MODEL,
      "What you know of models, by the start of their ids: it wins over the built-in table. Only in your own settings, not in a project's.",
    ),
    web: {
      type: "string",
      enum: ["on", "off"],
      default: "off",
      description: "Whether there is a tool that fetches pages of the public internet.",
    },
    flags: text(
      "A module with the client of a flag service: it exports `flags`, an OpenFeature client, and may export `close`. Its path begins at the folder of this file. Only the user's settings can name one.",
    ),
    memory: {
      type: "string",
      enum: ["off", "read", "on"],
      default: "read",
      description:
        "What is remembered of a project. read: its topics are shown, and the model may keep what the user tells it to. on: each turn is also looked through for what is worth keeping. off: no topic is read or written.",
    },
  },
  { description: "Settings of the palimpsest agent: settings.json of the user or of a project." },
);
