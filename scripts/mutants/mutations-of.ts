import type { Expression, Node } from "oxc-parser";
import type { Mutant, MutantKind } from "./mutant.ts";

const OPERATORS: Readonly<Record<string, { readonly kind: MutantKind; readonly to: string }>> = {
  "<": { kind: "boundary", to: "<=" },
  "<=": { kind: "boundary", to: "<" },
  ">": { kind: "boundary", to: ">=" },
  ">=": { kind: "boundary", to: ">" },
  "===": { kind: "equality", to: "!==" },
  "!==": { kind: "equality", to: "===" },
  "&&": { kind: "logical", to: "||" },
  "||": { kind: "logical", to: "&&" },
  "+": { kind: "arithmetic", to: "-" },
  "-": { kind: "arithmetic", to: "+" },
  "*": { kind: "arithmetic", to: "/" },
  "/": { kind: "arithmetic", to: "*" },
  "%": { kind: "arithmetic", to: "*" },
};

/** The mistakes that could be made at one place of a program. */
export function mutationsOf(node: Node, source: string): readonly Mutant[] {
  const replace = (
    kind: MutantKind,
    text: string,
    at: { readonly start: number; readonly end: number } = node,
  ): Mutant => ({
    kind,
    start: at.start,
    end: at.end,
    text,
  });
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression": {
      const found = OPERATORS[node.operator];
      // Texts can be joined, and nothing else.
      const isJoin = node.operator === "+" && (isText(node.left as Expression) || isText(node.right));
      const at = found && !isJoin ? operatorPlace(source, node.left.end, node.right.start, node.operator) : undefined;
      return found === undefined || at === undefined ? [] : [replace(found.kind, found.to, at)];
    }
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((text) => replace("condition", text, node.test));
    case "WhileStatement":
      // Always true would never end.
      return [replace("condition", "false", node.test)];
    case "ReturnStatement":
      return node.argument === null || isUndefined(node.argument)
        ? []
        : [replace("return-emptied", "undefined", node.argument)];
    case "ExpressionStatement":
      return isCall(node.expression) ? [replace("call-removed", "void 0;")] : [];
    case "TemplateLiteral":
      return node.quasis.length === 1 && node.quasis[0]!.value.raw === "" ? [] : [replace("string", "``")];
    case "Literal":
      return ofLiteral(node.value, replace);
    default:
      return [];
  }
}

function ofLiteral(value: unknown, replace: (kind: MutantKind, text: string) => Mutant): readonly Mutant[] {
  if (typeof value === "boolean") return [replace("boolean", String(!value))];
  if (typeof value === "number") return [replace("number", String(value + 1)), replace("number", `(${value - 1})`)];
  return typeof value === "string" && value !== "" ? [replace("string", '""')] : [];
}

/** Between two operands there may be comments, but no other operator. */
function operatorPlace(source: string, from: number, to: number, operator: string) {
  const between = source.slice(from, to).replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, (comment) => " ".repeat(comment.length));
  const start = between.indexOf(operator);
  return start < 0 ? undefined : { start: from + start, end: from + start + operator.length };
}

function isUndefined(expression: Expression): boolean {
  return expression.type === "Identifier" && expression.name === "undefined";
}

function isText(expression: Expression): boolean {
  return (
    expression.type === "TemplateLiteral" || (expression.type === "Literal" && typeof expression.value === "string")
  );
}

function isCall(expression: Expression): boolean {
  const called =
    expression.type === "AwaitExpression" || (expression.type === "UnaryExpression" && expression.operator === "void");
  return (called ? expression.argument : expression).type === "CallExpression";
}
