/**
 * The vault port, and the binding of each encrypted secret: encrypted text copied to another row
 * cannot be decrypted. Both sides must use the same binding.
 */
export interface SecretVault {
  /** Throws if the text was encrypted with another key or another binding. */
  open(sealed: string, binding: string): string;
}

export const webhookSecretBinding = (webhookId: number): string => `webhook:${webhookId}`;
export const tenantSecretBinding = (tenantId: number): string => `tenant:${tenantId}:webhook`;
export const toolSecretBinding = (toolId: number): string => `tool:${toolId}`;
export const crmSecretBinding = (tenantId: number): string => `crm:${tenantId}`;

export const idempotencyBinding = (tenantId: number, key: string): string =>
  `idempotency:${tenantId}:${key}`;
