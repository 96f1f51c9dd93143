import { globSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** The names that mean something without an import: those of Node, and those that TypeScript declares for browsers. */
export function readGlobalNames(): ReadonlySet<string> {
  const [dom] = globSync("node_modules/@typescript/typescript-*/lib/lib.dom.d.ts");
  if (dom === undefined) throw new Error("TypeScript has no lib.dom.d.ts: run npm ci");
  return new Set([...Object.getOwnPropertyNames(globalThis), ...declaredIn(dom, readFileSync(dom, "utf8"))]);
}

function declaredIn(path: string, text: string): string[] {
  return parseSync(path, text).program.body.flatMap((statement) => {
    if (statement.type === "FunctionDeclaration" || statement.type === "TSDeclareFunction")
      return statement.id?.name ?? [];
    if (statement.type !== "VariableDeclaration") return [];
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? id.name : []));
  });
}
