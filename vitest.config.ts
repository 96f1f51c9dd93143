import { defaultExclude, defineConfig, type ViteUserConfig } from "vitest/config";

// Workspace packages resolve to their TypeScript sources: tests judge what is written, not what was last built.
const conditions = ["palimpsest-source"];

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: {
    resolve: { conditions: [...conditions, "node", "import", "module", "default"], externalConditions: conditions },
  },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "apps/*/src/**/*.test.ts",
      "bench/src/**/*.test.ts",
      "scripts/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    // What reads recorded sessions is asked for by name (`npm run test:slow`): nothing here is skipped in the gate.
    exclude: process.env["PALIMPSEST_SLOW"] === undefined ? [...defaultExclude, "**/*.slow.test.ts"] : defaultExclude,
    setupFiles: ["test/random-cases.ts"],
    // A machine that has other things to do may take ten times as long: what must be fast is asserted, not timed out.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One process for each processor: most of them judge random sessions, and none waits for another.
    maxWorkers: "100%",
  },
});

export default config;
