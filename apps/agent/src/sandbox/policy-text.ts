import { relative } from "node:path";
import { isInside } from "../workspace/path-guard.ts";
import type { SandboxPolicy } from "./policy.ts";
import { PROTECTED_NAMES } from "./protected-names.ts";

/** The policy in plain words, one line each. */
export function policyText(policy: SandboxPolicy): readonly string[] {
  const { roots, home, readable, hiddenPatterns, readOnly, environment, network, limits } = policy;
  const names = PROTECTED_NAMES.slice(0, 12).map(({ path }) => path);
  return [
    `write: ${roots.join(", ")}, and a /tmp and a home folder of the session's own`,
    `read: the system without sockets, without ${home} and without homes of others; toolchains such as ${listed(readable, home)}`,
    ...(hiddenPatterns.length === 0 ? [] : [`not read, by rule: ${hiddenPatterns.join(", ")}`]),
    `not written: ${names.join(", ")} and ${PROTECTED_NAMES.length - names.length} more names that your programs obey`,
    ...(readOnly.length === 0 ? [] : [`not written, since hooks or servers run them: ${readOnly.join(", ")}`]),
    `reach: ${network.hosts.length === 0 ? "no host" : network.hosts.join(", ")}; a command asks for others by name. No Unix sockets, no ports of this machine`,
    `environment: PATH, HOME, LANG and others that hold no secrets${environment.length === 0 ? "" : `; also ${environment.join(", ")}`}`,
    `limits: ${limits.maxProcesses} processes, ${gigabytes(limits.maxMemoryBytes)} of memory for each, ${gigabytes(limits.maxFileBytes)} for a file; ended with less than ${gigabytes(limits.minFreeBytes)} free on the disk`,
  ];
}

function listed(readable: readonly string[], home: string): string {
  const shown = readable.slice(0, 4).map((path) => (isInside(path, home) ? `~/${relative(home, path)}` : path));
  return `${shown.join(", ")} (${readable.length} in all)`;
}

function gigabytes(bytes: number): string {
  return `${Number((bytes / 1_073_741_824).toFixed(1))} GiB`;
}
