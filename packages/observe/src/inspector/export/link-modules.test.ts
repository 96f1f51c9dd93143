import { expect, test } from "vitest";
import { linkModules } from "./link-modules.ts";

const run = (script: string): unknown => new Function("said", script);

test("modules keep their own names, run once, and give each other what they export", () => {
  const modules = new Map([
    ["main.js", `import { two } from "./two.js";\nimport {\n  one,\n} from "./one-more.js";\nsaid.push(one() + two);`],
    ["one-more.js", `const OWN = 1;\nsaid.push("once");\nexport function one() {\n  return OWN;\n}\n`],
    ["two.js", `import { one } from "./one-more.js";\nconst OWN = 2;\nexport const two = OWN * one();\n`],
  ]);
  const said: unknown[] = [];
  (run(linkModules(modules, "main.js")) as (said: unknown[]) => void)(said);
  expect(said).toEqual(["once", 3]);
});

test.each([
  [`import all from "./a.js";`, "cannot be linked"],
  [`export default 1;`, "cannot be linked"],
  [`import { a } from "./missing.js";`, "no module missing.js"],
  [`import { a } from "./main.js";`, "in a circle"],
])("a form that is not understood is refused: %s", (text, why) => {
  expect(() => linkModules(new Map([["main.js", text]]), "main.js")).toThrow(why);
});
