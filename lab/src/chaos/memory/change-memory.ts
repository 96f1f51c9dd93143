import { openMemory } from "@palimpsest/memory";
import { bodyFor } from "./marked-body.ts";

/** Three changes of different kinds, each told once it is acknowledged. */
export async function change(folder: string, emit: (name: "write" | "batch" | "forget") => void): Promise<void> {
  const memory = await openMemory({ folder });
  const draft = (slug: string) =>
    ({ slug, name: slug, description: slug, type: "project", body: bodyFor(slug) }) as const;
  const versionOf = async (slug: string) => (await memory.read(slug))?.version ?? "none";
  await memory.write({ ...draft("a"), description: "changed" }, "model", await versionOf("a"));
  emit("write");
  await memory.batch("dream", "consolidate", async (batch) => {
    for (const slug of ["b", "c"])
      await batch.write({ ...draft(slug), description: "merged" }, batch.read(slug)!.version);
    await batch.write({ ...draft("bc"), description: "merged" }, "none");
  });
  emit("batch");
  await memory.forget("d", "model", "no longer true", await versionOf("d"));
  emit("forget");
  await memory.close();
}

/** What a memory is before any of these changes. */
export async function prepare(folder: string): Promise<void> {
  const memory = await openMemory({ folder });
  for (const slug of ["a", "b", "c", "d"]) {
    const draft = { slug, name: slug, description: slug, type: "project", body: bodyFor(slug) } as const;
    await memory.write(draft, "model", "none");
  }
  await memory.close();
}
