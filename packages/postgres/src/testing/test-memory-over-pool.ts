import { randomUUID } from "node:crypto";
import type { Memory } from "@palimpsest/memory";
import { testMemory } from "@palimpsest/memory/test-memory";
import { test } from "vitest";
import type { Pool } from "../database.ts";
import type { KeyRing } from "../key-ring/key-ring.ts";
import { openPostgresMemory } from "../memory/open-postgres-memory.ts";

/** The contract of memories. Every case is another tenant, every process has the next pool. */
export function testMemoryOverPools(pools: () => readonly Pool[], keyRing?: () => KeyRing): void {
  testMemory({
    test,
    async place() {
      const tenant = randomUUID();
      const opened: Memory[] = [];
      return {
        async open(options) {
          const pool = pools()[opened.length % pools().length]!;
          const keys = keyRing === undefined ? {} : { keyRing: keyRing() };
          const memory = openPostgresMemory({ ...options, ...keys, pool, tenant, name: "project" });
          opened.push(memory);
          return memory;
        },
        async remove() {
          for (const memory of opened) await memory.close();
        },
      };
    },
  });
}
