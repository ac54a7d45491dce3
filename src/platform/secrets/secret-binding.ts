/**
 * The vault as this folder needs it, and what each sealed secret is bound to: a sealed text copied to
 * another row does not open. Whoever seals uses the same binding.
 */
export interface SecretVault {
  /** Throws when the text was sealed elsewhere or with another binding. */
  open(sealed: string, binding: string): string;
}

export const webhookSecretBinding = (webhookId: number): string => `webhook:${webhookId}`;
export const tenantSecretBinding = (tenantId: number): string => `tenant:${tenantId}:webhook`;
export const toolSecretBinding = (toolId: number): string => `tool:${toolId}`;
export const crmSecretBinding = (tenantId: number): string => `crm:${tenantId}`;
