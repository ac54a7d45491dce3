/** Health routes outside the mounts. They need no key and reveal nothing about tenants. */
import type { Elysia } from "elysia";
import type { Health } from "../../http/ports.ts";

export const HEALTH_PATHS = ["/healthz", "/readyz"] as const;

interface HealthDependencies {
  readonly health: Health;
  readonly isDraining: () => boolean;
}

export function healthRoutes(app: Elysia, { health, isDraining }: HealthDependencies): void {
  const alive = () => Response.json({ ok: true });
  const ready = async () => {
    const problems = [...(await health.problems())];
    if (isDraining()) problems.push("The appliance is shutting down.");
    return Response.json(
      { ok: problems.length === 0, problems, warnings: health.warnings?.() ?? [] },
      { status: problems.length === 0 ? 200 : 503 },
    );
  };
  for (const method of ["GET", "HEAD"]) {
    app.route(method, "/healthz", alive);
    app.route(method, "/readyz", ready);
  }
}
