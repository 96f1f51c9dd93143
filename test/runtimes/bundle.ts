import { rolldown } from "rolldown";

export interface Bundle {
  readonly code: string;
  /** Modules that the code wants from its runtime. */
  readonly imports: readonly string[];
}

/** One file of code for a runtime that is no Node, from the sources. What is not ours and not a relative file is left out. */
export async function bundle(input: string, format: "iife" | "es"): Promise<Bundle> {
  const build = await rolldown({
    input,
    platform: "browser",
    resolve: { conditionNames: ["palimpsest-source", "import", "default"] },
    external: (id) => id.startsWith("node:"),
    logLevel: "silent",
  });
  const { output } = await build.generate({ format, name: "bundled" });
  await build.close();
  const [{ code, imports, dynamicImports }] = output;
  return { code, imports: [...imports, ...dynamicImports] };
}
