/**
 * Finds the address and the signing secret of deliveries. Reads them at sending time, so that a rotated secret
 * applies to retries too.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Database } from "../../core/database.ts";
import {
  type SecretVault,
  tenantSecretBinding,
  webhookSecretBinding,
} from "../../platform/secrets/secret-binding.ts";
import type { DueDelivery, WebhookStores } from "./stores.ts";

interface TargetOptions {
  readonly database: Database;
  readonly stores: WebhookStores;
  readonly vault: SecretVault;
}

interface Target {
  readonly url: string;
  readonly secret: string;
}

type Addressed = Pick<DueDelivery, "tenantId" | "webhookId" | "legacyUrl">;

const OPENED_MAX = 1024;

/** Caches opened secrets: under load, every claim needs the same ones. */
export function openedOnce(vault: SecretVault): SecretVault {
  const opened = new BoundedMap<string, string>(OPENED_MAX);
  return {
    open(sealed, binding) {
      const key = `${binding} ${sealed}`;
      const known = opened.get(key);
      if (known !== undefined) return known;
      const plain = vault.open(sealed, binding);
      opened.set(key, plain);
      return plain;
    },
  };
}

/** Null if the webhook or its secret is gone. */
export async function targetOf(
  options: TargetOptions,
  { tenantId, webhookId, legacyUrl }: Addressed,
): Promise<Target | null> {
  const subscribers = options.stores.subscribers(options.database.read);
  if (webhookId === null) {
    const sealed = await subscribers.tenantSecret(tenantId);
    if (sealed === null || legacyUrl === null) return null;
    return { url: legacyUrl, secret: options.vault.open(sealed, tenantSecretBinding(tenantId)) };
  }
  const target = await subscribers.target(tenantId, webhookId);
  return target && opened(options.vault, webhookId, target);
}

/** Targets of several deliveries; reads each webhook once. */
export async function targetsOf(
  options: TargetOptions,
  deliveries: readonly Addressed[],
): Promise<(delivery: Addressed) => Promise<Target | null>> {
  const ids = new Set<number>();
  for (const { webhookId } of deliveries) if (webhookId !== null) ids.add(webhookId);
  const subscribers = options.stores.subscribers(options.database.read);
  const found = ids.size === 0 ? [] : await subscribers.targets([...ids]);
  const stored = new Map(found.map((target) => [target.webhookId, target]));
  return async (delivery) => {
    const { tenantId, webhookId } = delivery;
    if (webhookId === null) return targetOf(options, delivery);
    const target = stored.get(webhookId);
    return target?.tenantId === tenantId ? opened(options.vault, webhookId, target) : null;
  };
}

const opened = (
  vault: SecretVault,
  webhookId: number,
  { url, secretSealed }: { readonly url: string; readonly secretSealed: string },
): Target => ({ url, secret: vault.open(secretSealed, webhookSecretBinding(webhookId)) });
