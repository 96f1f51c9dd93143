import { parseSync, Visitor } from "oxc-parser";

/** Spreads of literals, `...{ a, b }`: they only save lines. A literal that is too long has parts that want a name. */
export function findLiteralSpreads(path: string, text: string): string[] {
  const problems: string[] = [];
  new Visitor({
    SpreadElement({ argument, start }) {
      if (argument.type !== "ObjectExpression") return;
      const line = text.slice(0, start).split("\n").length;
      problems.push(`${path}:${line}: spreads a literal; write its properties out, or name the part`);
    },
  }).visit(parseSync(path, text).program);
  return problems;
}
