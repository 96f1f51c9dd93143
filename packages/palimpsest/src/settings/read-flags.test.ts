import { InMemoryProvider, OpenFeature } from "@openfeature/server-sdk";
import { expect, test } from "vitest";
import { readFlags } from "./read-flags.ts";
import { resolveSettings } from "./resolve-settings.ts";

const flag = (value: unknown) => ({ variants: { only: value }, defaultVariant: "only", disabled: false });

test("a fleet's flags are read through its OpenFeature client, with what they do not have left as it is", async () => {
  const provider = new InMemoryProvider({
    "palimpsest.clearing.policy": flag("fixed"),
    "palimpsest.clearing.keepNewest": flag(7),
    "palimpsest.clearing.tools": flag(["Read"]),
    "palimpsest.cache.ttl": flag(12),
  } as ConstructorParameters<typeof InMemoryProvider>[0]);
  await OpenFeature.setProviderAndWait("settings-test", provider);
  const flags = await readFlags(OpenFeature.getClient("settings-test"));
  // A flag of another type than its setting is none.
  expect(flags).toEqual({ "clearing.policy": "fixed", "clearing.keepNewest": 7, "clearing.tools": ["Read"] });
  expect(resolveSettings({ flags }).settings["clearing.keepNewest"]).toBe(7);
  await OpenFeature.close();
});

test("a service that fails is one without flags", async () => {
  const failing = () => Promise.reject(new Error("unreachable"));
  const client = { getStringValue: failing, getNumberValue: failing, getObjectValue: failing };
  expect(await readFlags(client)).toEqual({});
});
