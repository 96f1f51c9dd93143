import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { SettingsSource } from "palimpsest";

type FlagClient = NonNullable<SettingsSource["flags"]>;

export interface OpenedFlags {
  readonly client: FlagClient;
  close(): Promise<void>;
}

/** A service that has not come up by then is not waited for. */
const DEADLINE_MS = 10_000;

/**
 * Loads the module that the user's settings name. It exports `flags`, an OpenFeature client, and may export `close`, which is
 * called at the end. It is code of the user's choice: a repository cannot name one.
 * @param path as the settings have it: from our folder in the user's home on, if it is not absolute
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
