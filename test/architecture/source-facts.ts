import { parseSync, Visitor } from "oxc-parser";

/** What the architecture rules look at in one source file. */
export interface SourceFacts {
  readonly path: string;
  readonly imports: readonly { readonly from: string; readonly kind: "value" | "type" }[];
  /** Uses of the outside world that do not come in as an import: `Date.now`, `process`, `fetch`, ... */
  readonly effects: readonly string[];
  /** Variables at module level that can be assigned again, or are collections that begin empty: both are there to be filled. */
  readonly moduleVariables: readonly string[];
  readonly exports: readonly string[];
  readonly vendorNames: readonly string[];
}

const EFFECTFUL_NAMES = new Set([
  "process",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "console",
  "crypto",
  "performance",
  "Buffer",
  "globalThis",
]);
const EFFECTFUL_MEMBERS = new Set(["Math.random"]);
const VENDORS = /anthropic|claude|openai|codex|gemini|bedrock|mistral|ollama/gi;

export function readSource(path: string, text: string): SourceFacts {
  const { module, program } = parseSync(path, text);
  const imports = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      from: moduleRequest.value,
      kind: entries.length > 0 && entries.every(({ isType }) => isType) ? ("type" as const) : ("value" as const),
    })),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ from: moduleRequest.value, kind: isType ? ("type" as const) : ("value" as const) }] : [],
      ),
    // A module whose name is computed is the user's: an extension, a script.
    ...module.dynamicImports
      .map(({ moduleRequest: { start, end } }) => text.slice(start, end))
      .filter((request) => /^["'`]/.test(request))
      .map((request) => ({ from: request.slice(1, -1), kind: "value" as const })),
  ];
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => exportName.name ?? []),
  );
  const moduleVariables = program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration") return [];
    return declaration.declarations
      .filter(({ init }) => declaration.kind !== "const" || isEmptyCollection(init))
      .map(({ id }) => (id.type === "Identifier" ? id.name : "pattern"));
  });
  return {
    path,
    imports,
    effects: findEffects(program),
    moduleVariables,
    exports,
    vendorNames: [...new Set(text.match(VENDORS))],
  };
}

function findEffects(program: ReturnType<typeof parseSync>["program"]): string[] {
  const effects: string[] = [];
  const propertyNames = new Set<number>();
  const pureDates = new Set<number>();
  new Visitor({
    MemberExpression(node) {
      if (!node.computed) propertyNames.add(node.property.start);
      if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
      const member = `${node.object.name}.${node.property.name}`;
      if (EFFECTFUL_MEMBERS.has(member)) effects.push(member);
    },
    Property(node) {
      if (!node.computed && !node.shorthand) propertyNames.add(node.key.start);
    },
    TSPropertySignature(node) {
      if (!node.computed) propertyNames.add(node.key.start);
    },
    NewExpression(node) {
      // A date of given parts asks no clock.
      if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length > 0)
        pureDates.add(node.callee.start);
    },
    Identifier(node) {
      if (node.name === "Date" && !pureDates.has(node.start) && !propertyNames.has(node.start)) effects.push("Date");
      if (EFFECTFUL_NAMES.has(node.name) && !propertyNames.has(node.start)) effects.push(node.name);
    },
  }).visit(program);
  return effects;
}

function isEmptyCollection(
  init: { type: string; arguments?: unknown[]; elements?: unknown[]; properties?: unknown[] } | null,
): boolean {
  switch (init?.type) {
    case "NewExpression":
      return init.arguments?.length === 0;
    case "ArrayExpression":
      return init.elements?.length === 0;
    case "ObjectExpression":
      return init.properties?.length === 0;
    default:
      return false;
  }
}
