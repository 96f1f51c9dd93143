import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { acpContestant } from "./acp-contestant.ts";
import { commandContestant } from "./command-contestant.ts";
import type { Contestant } from "./contestant.ts";
import { installPeersOfGauntlet, peerFolder, pinnedVersion } from "./peer-contestant.ts";
import { WITH_MAX_TOKENS } from "./serve-course.ts";
import { versionsOf } from "./versions-of.ts";

const inPeer = (name: string, path: string): string => fileURLToPath(new URL(path, peerFolder(name)));
const inAgent = (path: string): string =>
  fileURLToPath(new URL(path, import.meta.resolve("palimpsest-agent/package.json")));
const COMPILED = process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "palimpsest-compiled");

/** Our coding agent, one turn a process. */
export const palimpsestAgent: Contestant = commandContestant({
  name: "palimpsest-agent",
  kind: "ours",
  api: "anthropic-messages",
  summaryPrompt: /<summary> block/,
  version: () => versionsOf(import.meta.url, ["palimpsest-agent"]).join(" "),
  prepare({ model, windowTokens, home }) {
    mkdirSync(join(home, ".palimpsest"), { mode: 0o700 });
    const settings = { models: { [model]: { windowTokens } } };
    writeFileSync(join(home, ".palimpsest", "settings.json"), JSON.stringify(settings));
  },
  command: ({ url, model }, text, session) => ({
    program: process.execPath,
    args: [
      "--conditions=palimpsest-source",
      "--no-warnings",
      inAgent("src/main.ts"),
      ...(session === "new" ? [] : ["--continue"]),
      "--model",
      model,
      "-p",
      text,
    ],
    environment: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url, NODE_COMPILE_CACHE: COMPILED },
  }),
});

/** `opencode run`, with a window of the course's size in its settings. */
export const opencode: Contestant = commandContestant({
  name: "opencode",
  kind: "agent",
  api: "anthropic-messages",
  version: () => pinnedVersion("opencode-ai"),
  prepare({ url, model, windowTokens, workspace }) {
    installPeersOfGauntlet();
    const limit = { context: windowTokens, output: 4_000 };
    const anthropic = {
      options: { baseURL: `${url}/v1`, apiKey: "none" },
      models: { [model]: { limit, tool_call: true } },
    };
    const name = `anthropic/${model}`;
    const settings = { provider: { anthropic }, model: name, small_model: name, share: "disabled", autoupdate: false };
    writeFileSync(join(workspace, "opencode.json"), JSON.stringify(settings));
  },
  command: (_, text, session) => ({
    program: inPeer(`opencode-${process.platform}-${process.arch}`, "bin/opencode"),
    args: ["run", ...(session === "new" ? [] : ["--continue"]), text],
    environment: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
  }),
});

/** `codex exec`, with a provider of its own that speaks the Responses API. */
export const codex: Contestant = commandContestant({
  name: "codex",
  kind: "agent",
  api: "openai-responses",
  version: () => pinnedVersion("@openai/codex"),
  prepare({ url, model, windowTokens, home }) {
    installPeersOfGauntlet();
    mkdirSync(join(home, ".codex"), { recursive: true });
    const settings = [
      `model = "${model}"`,
      'model_provider = "course"',
      `model_context_window = ${windowTokens}`,
      `model_auto_compact_token_limit = ${Math.round(0.8 * windowTokens)}`,
      "[model_providers.course]",
      'name = "course"',
      `base_url = "${url}/v1"`,
      'env_key = "COURSE_KEY"',
      'wire_api = "responses"',
    ];
    writeFileSync(join(home, ".codex", "config.toml"), settings.join("\n"));
  },
  command: (_, text, session) => {
    const options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    return {
      program: process.execPath,
      args: [
        inPeer("@openai/codex", "bin/codex.js"),
        "exec",
        ...(session === "new" ? options : ["resume", "--last", ...options]),
        text,
      ],
      environment: { COURSE_KEY: "none" },
    };
  },
});

/** Qwen Code keeps these tokens free for a summary, whatever the window is: twenty thousand for the summary itself, thirteen as a buffer. */
const QWEN_CODE_FREE_TOKENS = 33_000;
/** It would ask for 16,384, and not for less where the window is smaller than it was told: with a prompt of 70% that does not fit. */
const QWEN_CODE_OUTPUT_TOKENS = 8_000;

/** `qwen -p`, over Chat Completions. It is told a window in which it compacts at 70% of the course's: in that itself, it would compact at every request. */
export const qwenCode: Contestant = commandContestant({
  name: "qwen-code",
  kind: "agent",
  api: "openai-chat",
  model: WITH_MAX_TOKENS,
  version: () => pinnedVersion("@qwen-code/qwen-code"),
  prepare({ windowTokens, home }) {
    installPeersOfGauntlet();
    mkdirSync(join(home, ".qwen"), { recursive: true });
    const generationConfig = {
      contextWindowSize: Math.round(0.7 * windowTokens) + QWEN_CODE_FREE_TOKENS,
      samplingParams: { max_tokens: QWEN_CODE_OUTPUT_TOKENS },
    };
    const settings = { security: { auth: { selectedType: "openai" } }, model: { generationConfig } };
    writeFileSync(join(home, ".qwen", "settings.json"), JSON.stringify(settings));
  },
  command: ({ url, model }, text, session) => ({
    program: process.execPath,
    args: [
      inPeer("@qwen-code/qwen-code", "cli-entry.js"),
      "--approval-mode",
      "yolo",
      "--auth-type",
      "openai",
      "--model",
      model,
      "--openai-api-key",
      "none",
      "--openai-base-url",
      `${url}/v1`,
      ...(session === "new" ? [] : ["--continue"]),
      "-p",
      text,
    ],
  }),
});

/** Gemini CLI takes every model's window from a table of its own: 1,048,576 tokens. Only the share of it at which it compacts can be set. */
const GEMINI_CLI_WINDOW_TOKENS = 1_048_576;

/**
 * `gemini --acp`, which compacts at 70% of the course's window. A process for each turn would not do: a conversation that
 * `gemini --resume` continues has each result of a tool twice, and the service refuses it. `session/load` does the same.
 */
export const geminiCli: Contestant = acpContestant({
  name: "gemini-cli",
  kind: "agent",
  api: "gemini",
  version: () => pinnedVersion("@google/gemini-cli"),
  prepare({ windowTokens, home }) {
    installPeersOfGauntlet();
    mkdirSync(join(home, ".gemini"), { recursive: true });
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      model: { compressionThreshold: (0.7 * windowTokens) / GEMINI_CLI_WINDOW_TOKENS },
      privacy: { usageStatisticsEnabled: false },
    };
    writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
  },
  command: ({ url, model }) => ({
    program: process.execPath,
    args: [
      inPeer("@google/gemini-cli", "bundle/gemini.js"),
      "--acp",
      "--approval-mode",
      "yolo",
      "--skip-trust",
      "--model",
      model,
    ],
    environment: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url },
  }),
});
