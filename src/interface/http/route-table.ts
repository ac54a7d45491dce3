/** Which methods a path answers, for 405 with Allow, and which paths are open without a key. */
import type { Contract } from "./contract.ts";

export const MOUNTS = ["/api/v1", "/v1"] as const;
export const DASHBOARD_MOUNT = "/api/dashboard";

export interface RouteTable {
  /** True for what lies below a mount, known or not. */
  isApi(path: string): boolean;
  isOpen(path: string): boolean;
  /** `GET, HEAD, OPTIONS, POST`, or null for an unknown path. */
  allow(path: string): string | null;
  /** `mount` is the dashboard's: its contracts are known later. */
  add(mount: string, contracts: readonly Contract[]): void;
}

interface Entry {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  open: boolean;
}

/** `rootPaths` stand beside the mounts and answer GET without a key. */
export function routeTable(
  contracts: readonly Contract[],
  rootPaths: readonly string[],
): RouteTable {
  const mounts = [...MOUNTS, DASHBOARD_MOUNT];
  const fixed = new Map<string, Entry>();
  const patterned = new Map<string, Entry>();

  function entryOf(path: string): Entry {
    const entries = path.includes("{") ? patterned : fixed;
    const shape = path.replace(/\{\w+\}/g, "[^/]+");
    const known = entries.get(shape);
    if (known) return known;
    const entry = { pattern: new RegExp(`^${shape}$`), methods: new Set<string>(), open: false };
    entries.set(shape, entry);
    return entry;
  }

  function add(mount: string, contract: Contract): void {
    const entry = entryOf(mount + contract.path);
    entry.methods.add(contract.method);
    if (contract.open) entry.open = true;
  }

  for (const contract of contracts) for (const mount of MOUNTS) add(mount, contract);
  for (const path of rootPaths) {
    const entry = entryOf(path);
    entry.methods.add("GET");
    entry.open = true;
  }

  function find(path: string): Entry | undefined {
    const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const exact = fixed.get(plain);
    if (exact) return exact;
    for (const entry of patterned.values()) if (entry.pattern.test(plain)) return entry;
    return undefined;
  }

  return {
    isApi: (path) => mounts.some((mount) => path === mount || path.startsWith(`${mount}/`)),
    isOpen: (path) => find(path)?.open ?? false,
    allow(path) {
      const entry = find(path);
      if (!entry) return null;
      const methods = new Set([...entry.methods, "OPTIONS"]);
      if (methods.has("GET")) methods.add("HEAD");
      return [...methods].sort().join(", ");
    },
    add(mount, added) {
      for (const contract of added) add(mount, contract);
    },
  };
}
