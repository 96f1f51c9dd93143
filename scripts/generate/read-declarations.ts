import { type Comment, parseSync, Visitor } from "oxc-parser";

/** One declaration of a d.ts file: the text without its comments, and the names that it refers to. */
export interface ApiDeclaration {
  readonly name: string;
  readonly text: string;
  readonly references: readonly string[];
}

/** Where a name comes from: `name` of the module `from`. */
export interface Origin {
  readonly from: string;
  readonly name: string;
}

export interface DeclarationFile {
  readonly declarations: readonly ApiDeclaration[];
  /** By local name. */
  readonly imports: ReadonlyMap<string, Origin>;
  /** Public name to local name, or to what is passed on from another module. */
  readonly exports: ReadonlyMap<string, string | Origin>;
}

/** Reads a file that `tsc` has emitted. */
export function readDeclarations(path: string, text: string): DeclarationFile {
  const { program, module, comments } = parseSync(path, text);
  const declarations = program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared === null || /^(Import|Export)/.test(declared.type)) return [];
    return { name: nameOf(declared), text: textOf(declared, text, comments), references: referencesOf(declared) };
  });
  const imports = module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.map(({ localName, importName }): [string, Origin] => [
      localName.value,
      { from: moduleRequest.value, name: importName.name ?? "default" },
    ]),
  );
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, localName, importName, moduleRequest }): [string, string | Origin] => {
      const name = exportName.name ?? "default";
      const from = moduleRequest?.value;
      return [name, from === undefined ? (localName.name ?? name) : { from, name: importName.name ?? name }];
    }),
  );
  return { declarations, imports: new Map(imports), exports: new Map(exports) };
}

interface Declared {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: unknown;
  readonly declarations?: readonly { readonly id: unknown }[];
}

function nameOf({ id, declarations = [] }: Declared): string {
  const named = (id ?? declarations[0]?.id) as { readonly name?: string } | undefined;
  return named?.name ?? "";
}

function textOf({ start, end }: Declared, text: string, comments: readonly Comment[]): string {
  let kept = "";
  let at = start;
  for (const comment of comments.filter((one) => one.start >= start && one.end <= end)) {
    kept += text.slice(at, comment.start);
    at = comment.end;
  }
  const lines = `${kept}${text.slice(at, end)}`.split("\n").filter((line) => line.trim() !== "");
  return lines.join("\n").replace(/^declare /, "");
}

function referencesOf(declared: object): string[] {
  const names = new Set<string>();
  const add = (node: { readonly type: string } | null): void => {
    const found = node as {
      readonly type: string;
      readonly name?: string;
      readonly left?: { readonly type: string };
    } | null;
    if (found?.type === "TSQualifiedName" || found?.type === "MemberExpression") add(found.left ?? null);
    else if (found?.name !== undefined) names.add(found.name);
  };
  const visitor = new Visitor({
    TSTypeReference: ({ typeName }) => add(typeName),
    TSTypeQuery: ({ exprName }) => add(exprName),
    TSInterfaceHeritage: ({ expression }) => add(expression),
    ClassDeclaration: ({ superClass }) => add(superClass),
  });
  visitor.visit({ type: "Program", body: [declared] } as never);
  return [...names];
}
