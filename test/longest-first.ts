import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest: a worker that begins one of them last works on while the others have nothing left to do. */
const LONGEST = [
  "test/liveness/engine.test.ts",
  "test/laws/laws.test.ts",
  "test/laws/compaction/anthropic.test.ts",
  "test/laws/compaction/openai.test.ts",
  "test/packages/packages.system.test.ts",
  "test/liveness/agent.system.test.ts",
  "apps/agent/src/terminal/going-back.system.test.ts",
  "apps/agent/src/main/run.system.test.ts",
  "test/a-day/a-day.system.test.ts",
];

/** Those first, and the others as usual. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
