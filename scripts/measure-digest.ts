/** Prints how much longer the portable SHA-256 takes than Node's own: the figure in docs/dependencies.md. */
import { hash } from "node:crypto";
import { portableSha256 } from "../packages/palimpsest/src/stores/portable-sha256.ts";

const MEASURED_BYTES = 30_000_000;

for (const length of [300, 4_000, 100_000, 1_000_000]) {
  const text = "x".repeat(length);
  const nativeUs = perCallUs(() => hash("sha256", text, "hex"), length);
  const portableUs = perCallUs(() => portableSha256(text), length);
  const ratio = (portableUs / nativeUs).toFixed(1);
  console.log(
    `${length} bytes: native ${nativeUs.toFixed(1)} us, portable ${portableUs.toFixed(1)} us, ratio ${ratio}`,
  );
}

/** Of the processor's time, after a warm-up: other programs on the machine do not count. */
function perCallUs(work: () => string, length: number): number {
  const calls = Math.ceil(MEASURED_BYTES / length);
  for (let call = 0; call < Math.min(calls, 500); call++) work();
  const before = process.cpuUsage().user;
  for (let call = 0; call < calls; call++) work();
  return (process.cpuUsage().user - before) / calls;
}
