/**
 * The vault port, and the binding of each sealed secret: sealed text that is copied to another row
 * does not open. Sealing code must use the same binding.
 */
export interface SecretVault {
  /** Throws when the text was sealed by another key or with another binding. */
  open(sealed: string, binding: string): string;
}

export const webhookSecretBinding = (webhookId: number): string => `webhook:${webhookId}`;
export const tenantSecretBinding = (tenantId: number): string => `tenant:${tenantId}:webhook`;
export const toolSecretBinding = (toolId: number): string => `tool:${toolId}`;
export const crmSecretBinding = (tenantId: number): string => `crm:${tenantId}`;

export const idempotencyBinding = (tenantId: number, key: string): string =>
  `idempotency:${tenantId}:${key}`;
