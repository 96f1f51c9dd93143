/**
 * Runs one case in a process of its own, so that it can also run without a guard of the product.
 *
 * Arguments: the name of the case, the driver. Prints a `CaseResult`.
 */
import { CASES } from "./cases/cases.ts";
import type { DriverName } from "./driver.ts";
import { inPlace } from "./place.ts";

const [name, driver = "postgres"] = process.argv.slice(2);
const { plan = {}, diskBytes, run } = CASES.find((one) => one.name === name)!;
console.log(
  JSON.stringify(
    await inPlace({ driver: driver as DriverName, plan, ...(diskBytes === undefined ? {} : { diskBytes }) }, run),
  ),
);
process.exit();
