import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installOutside } from "./install-outside.ts";

export const OPENCODE_MODEL = "claude-opus-5-5";
const NAME = `opencode-${process.platform}-${process.arch}`;

/** Installs the program, and returns its path. */
export function installOpencode(version: string): string {
  return join(installOutside(NAME, version), "node_modules", NAME, "bin", "opencode");
}

export interface OpencodeSettings {
  /** Of the service. */
  readonly url: string;
  readonly windowTokens: number;
  /** @default none */
  readonly plugin?: readonly [file: string, options: object];
}

/** Writes opencode.json into a folder that is project and home at once, and returns the environment for the program. */
export function writeOpencodeSettings(
  folder: string,
  { url, windowTokens, plugin }: OpencodeSettings,
): Record<string, string | undefined> {
  const model = { limit: { context: windowTokens, output: 4_000 }, tool_call: true, reasoning: true };
  const anthropic = { options: { baseURL: `${url}/v1`, apiKey: "none" }, models: { [OPENCODE_MODEL]: model } };
  const name = `anthropic/${OPENCODE_MODEL}`;
  const settings = { provider: { anthropic }, model: name, small_model: name, ...(plugin && { plugin: [plugin] }) };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify({ ...settings, share: "disabled", autoupdate: false }));
  return {
    PATH: process.env["PATH"],
    HOME: folder,
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
}
