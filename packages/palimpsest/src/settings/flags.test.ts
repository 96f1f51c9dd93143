import { InMemoryProvider, OpenFeature, type Provider, ProviderNotReadyError } from "@openfeature/server-sdk";
import { expect, onTestFinished, test } from "vitest";
import { readFlags } from "./flags.ts";

const flag = (value: unknown) => ({ variants: { only: value }, defaultVariant: "only", disabled: false });

test("reads flags through an OpenFeature client, and reports missing flags as absent", async () => {
  const provider = new InMemoryProvider({
    "palimpsest.profile": flag("economy"),
    "palimpsest.compactAt": flag(70),
    "palimpsest.notes": flag(12),
  } as ConstructorParameters<typeof InMemoryProvider>[0]);
  await OpenFeature.setProviderAndWait("read-flags", provider);
  onTestFinished(() => OpenFeature.close());
  const flags = await readFlags(OpenFeature.getClient("read-flags"));
  expect(flags.get("profile")).toEqual({ kind: "value", value: "economy" });
  expect(flags.get("compactAt")).toEqual({ kind: "value", value: 70 });
  expect(flags.get("notes")).toMatchObject({ kind: "unusable", because: expect.stringContaining("TYPE_MISMATCH") });
  expect(flags.get("compaction")).toEqual({ kind: "absent" });
  expect(flags.get("toolResults.keptDays")).toEqual({ kind: "absent" });
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
  expect(flags.get("compaction")).toMatchObject({ because: "PROVIDER_NOT_READY: connection refused" });
});

test("treats a client that rejects as a failed service", async () => {
  const rejects = () => Promise.reject(new Error("unreachable"));
  const client = { getStringDetails: rejects, getNumberDetails: rejects, getObjectDetails: rejects };
  expect((await readFlags(client)).get("compaction")).toEqual({ kind: "failed", because: "unreachable" });
});
