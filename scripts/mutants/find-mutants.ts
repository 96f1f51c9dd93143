import { type Node, parseSync } from "oxc-parser";
import type { Mutant } from "./mutant.ts";
import { mutationsOf } from "./mutations-of.ts";

/** Finds all small mistakes that could be made in a source, in the order of their places. Types are left as they are. */
export function findMutants(path: string, source: string): readonly Mutant[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const found: Mutant[] = [];
  walk(program as unknown as Node, (node) => found.push(...mutationsOf(node, source)));
  return found.toSorted((one, other) => one.start - other.start || one.end - other.end);
}

export function applyMutant(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** What surrounds an expression and is no type: only the expression in it matters. */
const AROUND_EXPRESSIONS: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
]);
/** Names of modules are no strings of the program. */
const LEFT_OUT: ReadonlySet<string> = new Set(["ImportDeclaration", "ExportAllDeclaration"]);

function walk(node: Node, visit: (node: Node) => void): void {
  if (LEFT_OUT.has(node.type)) return;
  if (node.type.startsWith("TS") && !AROUND_EXPRESSIONS.has(node.type)) return;
  if (node.type === "ExportNamedDeclaration" && node.source !== null) return;
  visit(node);
  for (const [name, value] of Object.entries(node)) {
    if (name === "parent") continue;
    // The name of a field is no value, unless it is computed.
    if (name === "key" && "computed" in node && !node.computed) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
