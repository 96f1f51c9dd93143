import { posix } from "node:path";
import { parseSync, type TSInterfaceDeclaration, type TSSignature } from "oxc-parser";

export interface ShapeLimits {
  readonly maxMembers: number;
  readonly maxGroupMembers: number;
}

/** Reads the text of a source file; throws if there is none. */
type ReadText = (path: string) => string;

interface FoundInterface {
  readonly path: string;
  readonly declaration: TSInterfaceDeclaration;
}

/** An interface that has grown too wide, or one of its groups: a property whose type is an interface of ours, or written out. */
export function checkShape(path: string, name: string, limits: ShapeLimits, readText: ReadText): string[] {
  const found = findInterface(path, name, readText);
  if (found === undefined) return [`${path}: has no interface ${name}`];
  const members = membersOf(found, readText);
  const problems: string[] = [];
  if (members.length > limits.maxMembers) {
    problems.push(`${path}: ${name} has ${members.length} members; ${limits.maxMembers} is the most`);
  }
  for (const { at, member } of members) {
    const group = sizeOfGroup(at, member, readText);
    if (group <= limits.maxGroupMembers) continue;
    problems.push(`${at}: ${name}.${nameOf(member)} has ${group} members; ${limits.maxGroupMembers} is the most`);
  }
  return problems;
}

interface PlacedMember {
  readonly at: string;
  readonly member: TSSignature;
}

/** Its own, and those of what it extends. Overloads of a method are one member. */
function membersOf({ path, declaration }: FoundInterface, readText: ReadText): PlacedMember[] {
  const inherited = declaration.extends.flatMap(({ expression }) => {
    const base = expression.type === "Identifier" ? findInterface(path, expression.name, readText) : undefined;
    return base === undefined ? [] : membersOf(base, readText);
  });
  const own = declaration.body.body.map((member) => ({ at: path, member }));
  return [...new Map([...inherited, ...own].map((placed) => [nameOf(placed.member), placed])).values()];
}

function sizeOfGroup(path: string, member: TSSignature, readText: ReadText): number {
  const type = member.type === "TSPropertySignature" ? member.typeAnnotation?.typeAnnotation : undefined;
  if (type?.type === "TSTypeLiteral") return new Set(type.members.map(nameOf)).size;
  if (type?.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return 0;
  const group = findInterface(path, type.typeName.name, readText);
  return group === undefined ? 0 : membersOf(group, readText).length;
}

function nameOf(member: TSSignature): string {
  return "key" in member && member.key.type === "Identifier" ? member.key.name : `${member.type} at ${member.start}`;
}

/** In this file, or in the one that it is imported from; undefined for what is no interface of ours. */
function findInterface(path: string, name: string, readText: ReadText): FoundInterface | undefined {
  const { program, module } = parseSync(path, readText(path));
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type === "TSInterfaceDeclaration" && declaration.id.name === name) return { path, declaration };
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    const entry = entries.find(({ localName }) => localName.value === name);
    if (entry === undefined || !moduleRequest.value.startsWith(".")) continue;
    const target = posix.join(posix.dirname(path), moduleRequest.value);
    return findInterface(target, entry.importName.name ?? name, readText);
  }
  return undefined;
}
