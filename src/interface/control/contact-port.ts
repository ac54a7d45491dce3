/** What the operator may do about a tenant's contacts and campaigns from the console. Methods throw AppError. */

export interface ContactSummary {
  readonly id: number;
  readonly number: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly birthday: string | null;
  readonly language: string | null;
  readonly consent: boolean;
  readonly do_not_call: boolean;
  readonly has_pin: boolean;
}

export interface ContactImport {
  readonly tenant: number;
  readonly csv: string;
  /** Whose national numbers are understood; null: E.164 only. */
  readonly country: string | null;
  readonly dry_run: boolean;
  readonly skip_bad: boolean;
}

export interface ContactImportReport {
  readonly dry_run: boolean;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly problem_count: number;
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/** A piece of the book; `next`: where the next begins, null: that was all. */
export interface ContactExportPiece {
  readonly csv: string;
  readonly next: number | null;
}

export interface CampaignSummary {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly agent_id: number | null;
  readonly targets: Readonly<Record<string, number>>;
}

export interface ContactPort {
  list(
    tenant: number,
    page: { readonly search: string | null; readonly limit: number; readonly offset: number },
  ): Promise<{ readonly contacts: readonly ContactSummary[]; readonly total: number }>;
  import(file: ContactImport): Promise<ContactImportReport>;
  export(tenant: number, after: number): Promise<ContactExportPiece>;
  campaigns(tenant: number): Promise<readonly CampaignSummary[]>;
  act(
    tenant: number,
    campaign: number,
    action: "start" | "pause" | "resume" | "cancel",
  ): Promise<CampaignSummary>;
}
