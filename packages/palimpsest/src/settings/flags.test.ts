import { InMemoryProvider, OpenFeature, type Provider, ProviderNotReadyError } from "@openfeature/server-sdk";
import { expect, onTestFinished, test } from "vitest";
import { readFlags } from "./flags.ts";

const flag = (value: unknown) => ({ variants: { only: value }, defaultVariant: "only", disabled: false });

test("reads flags through an OpenFeature client, and reports missing flags as absent", async () => {
  const provider = new InMemoryProvider({
    "palimpsest.clearing.policy": flag("fixed"),
    "palimpsest.clearing.keepNewest": flag(7),
    "palimpsest.clearing.keepTools": flag(["Read"]),
    "palimpsest.cache.ttl": flag(12),
  } as ConstructorParameters<typeof InMemoryProvider>[0]);
  await OpenFeature.setProviderAndWait("read-flags", provider);
  onTestFinished(() => OpenFeature.close());
  const flags = await readFlags(OpenFeature.getClient("read-flags"));
  expect(flags.get("clearing.policy")).toEqual({ kind: "value", value: "fixed" });
  expect(flags.get("clearing.keepNewest")).toEqual({ kind: "value", value: 7 });
  expect(flags.get("clearing.keepTools")).toEqual({ kind: "value", value: ["Read"] });
  expect(flags.get("cache.ttl")).toMatchObject({ kind: "unusable", because: expect.stringContaining("TYPE_MISMATCH") });
  expect(flags.get("compaction.auto")).toEqual({ kind: "absent" });
  expect(flags.get("toolResults.thresholdByTool")).toEqual({ kind: "absent" });
});

test("distinguishes a failed service from a service without flags, although the client never rejects", async () => {
  const fails = (): never => {
    throw new ProviderNotReadyError("connection refused");
  };
  const failing: Provider = {
    metadata: { name: "failing" },
    resolveStringEvaluation: fails,
    resolveNumberEvaluation: fails,
    resolveObjectEvaluation: fails,
    resolveBooleanEvaluation: fails,
  };
  await OpenFeature.setProviderAndWait("failing", failing);
  onTestFinished(() => OpenFeature.close());
  const flags = await readFlags(OpenFeature.getClient("failing"));
  expect(new Set([...flags.values()].map(({ kind }) => kind))).toEqual(new Set(["failed"]));
  expect(flags.get("cache.ttl")).toMatchObject({ because: "PROVIDER_NOT_READY: connection refused" });
});

test("treats a client that rejects as a failed service", async () => {
  const rejects = () => Promise.reject(new Error("unreachable"));
  const client = { getStringDetails: rejects, getNumberDetails: rejects, getObjectDetails: rejects };
  expect((await readFlags(client)).get("cache.ttl")).toEqual({ kind: "failed", because: "unreachable" });
});
