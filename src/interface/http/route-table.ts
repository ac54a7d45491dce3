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
  /** True if the path is a fixed one without this method. A pattern such as `/webhooks/{id}` fits `/webhooks/snippet`, too. */
  isOther(path: string, method: string): boolean;
  add(mount: string, contract: Contract): void;
}

interface Entry {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  open: boolean;
}

/** `rootPaths` stand beside the mounts and answer GET without a key. */
export function routeTable(rootPaths: readonly string[]): RouteTable {
  const fixed = new Map<string, Entry>();
  const patterned = new Map<string, Entry>();
  const openPatterned = new Set<Entry>();

  const entryOf = (path: string) => entryIn(path.includes("{") ? patterned : fixed, path);

  function add(mount: string, contract: Contract): void {
    const entry = entryOf(mount + contract.path);
    entry.methods.add(contract.method);
    if (contract.open) open(entry, contract.path);
  }

  function open(entry: Entry, path: string): void {
    entry.open = true;
    if (path.includes("{")) openPatterned.add(entry);
  }

  for (const path of rootPaths) {
    const entry = entryOf(path);
    entry.methods.add("GET");
    open(entry, path);
  }

  function find(path: string): Entry | undefined {
    const plain = withoutSlash(path);
    return fixed.get(plain) ?? matching(patterned.values(), plain);
  }

  function isOpen(path: string): boolean {
    const exact = fixed.get(path);
    if (exact) return exact.open;
    // Asked with every request, and few patterns are open: most paths need not be held against all.
    if (!path.endsWith("/") && !matching(openPatterned, path)) return false;
    return find(path)?.open ?? false;
  }

  return {
    isApi,
    isOpen,
    allow(path) {
      const entry = find(path);
      if (!entry) return null;
      const methods = new Set([...entry.methods, "OPTIONS"]);
      if (methods.has("GET")) methods.add("HEAD");
      return [...methods].sort().join(", ");
    },
    isOther(path, method) {
      const exact = fixed.get(withoutSlash(path));
      return exact !== undefined && !exact.methods.has(method);
    },
    add,
  };
}

const withoutSlash = (path: string) =>
  path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;

function entryIn(entries: Map<string, Entry>, path: string): Entry {
  const shape = path.replace(/\{\w+\}/g, "[^/]+");
  const known = entries.get(shape);
  if (known) return known;
  const entry = { pattern: new RegExp(`^${shape}$`), methods: new Set<string>(), open: false };
  entries.set(shape, entry);
  return entry;
}

const ALL_MOUNTS = [...MOUNTS, DASHBOARD_MOUNT].map((path) => ({ path, below: `${path}/` }));

const isApi = (path: string) =>
  ALL_MOUNTS.some((mount) => path.startsWith(mount.below) || path === mount.path);

function matching(entries: Iterable<Entry>, path: string): Entry | undefined {
  for (const entry of entries) if (entry.pattern.test(path)) return entry;
  return undefined;
}
