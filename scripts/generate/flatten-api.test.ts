import { expect, test } from "vitest";
import { flattenApi } from "./flatten-api.ts";

const FILES: Readonly<Record<string, string>> = {
  "index.d.ts": `export { type Shop, open } from "./shop.ts";\nexport type { Price as Cost } from "./price.ts";`,
  "core.d.ts": `export { open } from "./shop.ts";\nexport { z } from "zod";`,
  "shop.d.ts": `import type { Price } from "./price.ts";
/** A shop. */
export interface Shop {
    /** What it sells. */
    readonly goods: Goods;
    readonly price: Price;
}
type Goods = readonly Good[];
interface Good {
    readonly name: string;
}
export declare function open(name: string): Shop;
export declare function open(name: string, price: Price): Shop;`,
  "price.d.ts": "export type Price = number;\nexport interface Unused {\n}",
};

function flatten(files: Readonly<Record<string, string>>): string {
  const subpaths = [
    { name: "shop", file: "index.d.ts" },
    { name: "shop/core", file: "core.d.ts" },
  ];
  return flattenApi(subpaths, (file) => files[file] ?? "");
}

test("every name of every subpath is printed once, without comments, and the types behind them", () => {
  expect(flatten(FILES)).toBe(`## shop

3 names.

\`\`\`ts no-run
// as Cost:
type Price = number;
interface Shop {
    readonly goods: Goods;
    readonly price: Price;
}
function open(name: string): Shop;
function open(name: string, price: Price): Shop;
\`\`\`

## shop/core

2 names.

\`\`\`ts no-run
// z: of another package
// and: open (shop)
\`\`\`

## Types behind them

Not exported by name.

\`\`\`ts no-run
interface Good {
    readonly name: string;
}
type Goods = readonly Good[];
\`\`\`
`);
});

test.each([
  ["a member of a type", "shop.d.ts", "readonly goods", "readonly wares"],
  ["a member of a type that is not exported", "shop.d.ts", "readonly name", "readonly title"],
  ["a parameter", "shop.d.ts", "name: string, price", "name: string, price?"],
  ["a name", "index.d.ts", "as Cost", "as Price"],
])("the page changes with %s", (_, file, before, after) => {
  const changed = { ...FILES, [file]: FILES[file]!.replace(before, after) };
  expect(changed[file]).not.toBe(FILES[file]);
  expect(flatten(changed)).not.toBe(flatten(FILES));
});

test("the page does not change with a comment", () => {
  const changed = { ...FILES, "shop.d.ts": FILES["shop.d.ts"]!.replace("/** A shop. */", "/** Shops. */") };
  expect(flatten(changed)).toBe(flatten(FILES));
});
