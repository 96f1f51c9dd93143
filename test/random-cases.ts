import fc from "fast-check";

// The gate names a seed, so that what passes once passes again; without one every run has other cases.
const seed = process.env["PALIMPSEST_SEED"];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
