/** Path prefixes of the APIs. */

export const MOUNTS = ["/api/v1", "/v1"] as const;
export const DASHBOARD_MOUNT = "/api/dashboard";

const ALL_MOUNTS = [...MOUNTS, DASHBOARD_MOUNT].map((path) => ({ path, below: `${path}/` }));

/** True for every path of an API, known or not. */
export const isBelowMount = (path: string): boolean =>
  ALL_MOUNTS.some((mount) => path.startsWith(mount.below) || path === mount.path);
