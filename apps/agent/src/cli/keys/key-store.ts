import type { ProviderWord } from "../../commands/choose-provider.ts";

/** A place that keeps one API key for each provider. */
export interface KeyStore {
  /** Names the place in messages: "the macOS keychain". */
  readonly name: string;
  read(provider: ProviderWord): Promise<string | undefined>;
  write(provider: ProviderWord, key: string): Promise<void>;
  remove(provider: ProviderWord): Promise<void>;
}

/** Runs a program to its end. Secrets go in and out by its pipes: other users see the arguments of a program. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  input: string,
) => Promise<{ readonly exitCode: number | null; readonly out: string }>;
