import { expect, test } from "vitest";
import { publishManifest } from "./publish-manifest.ts";

test("packages of ours are depended on exactly, others as they were, and what only the repository needs is left out", () => {
  const manifest = {
    name: "b",
    scripts: { build: "make" },
    threads: ["dist/thread.js"],
    dependencies: { a: "*", other: "^1.0.0" },
    peerDependencies: { c: "*" },
    devDependencies: { a: "*" },
  };
  const versions = new Map([
    ["a", "1.2.3"],
    ["c", "2.0.0-beta.1"],
  ]);
  expect(publishManifest(manifest, versions)).toEqual({
    name: "b",
    dependencies: { a: "1.2.3", other: "^1.0.0" },
    peerDependencies: { c: "2.0.0-beta.1" },
  });
});
