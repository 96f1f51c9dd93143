import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { SettingsSource } from "palimpsest";

type FlagClient = NonNullable<SettingsSource["flags"]>;

export interface OpenedFlags {
  readonly client: FlagClient;
  close(): Promise<void>;
}

/** How long to wait for the flag service at the start. */
const DEADLINE_MS = 10_000;

/**
 * Loads the module that the user's settings name. It exports `flags`, an OpenFeature client, and may export `close`, which is
 * called at the end. Only the user's own settings can name a module; a repository cannot.
 * @param path the path in the settings; a relative path starts at our folder in the user's home
 */
export async function openFlags(path: string, agentHome: string): Promise<OpenedFlags> {
  const file = resolve(agentHome, path);
  const { flags, close } = await within(DEADLINE_MS, load(file));
  if (typeof (flags as Partial<FlagClient> | undefined)?.getStringDetails !== "function") {
    throw new Error("it must export `flags`, an OpenFeature client");
  }
  return {
    client: flags as FlagClient,
    close: async () => void (typeof close === "function" ? await close() : undefined),
  };
}

async function load(file: string): Promise<{ readonly flags?: unknown; readonly close?: unknown }> {
  return import(pathToFileURL(file).href);
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it was not ready within ${ms / 1_000} s`)), ms);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
