/**
 * Identifies a message if an error's code is too general: the violated rule of a value, or one of
 * several conflicts. The dashboard has a sentence for each in every language (its
 * i18n/server-messages.json).
 */

/** Reason with `valid_<field>_required`. Without one, the field itself identifies the rule. */
export type FieldReason =
  | "amount"
  | "array_items"
  | "at_top"
  | "birthday_to_come"
  | "callers_number"
  | "choice"
  | "current"
  | "document_broken"
  | "document_empty"
  | "document_encrypted"
  | "document_no_text"
  | "document_old_word"
  | "document_swells"
  | "document_too_long"
  | "document_too_slow"
  | "document_unsupported"
  | "email"
  | "length"
  | "length_max"
  | "networks"
  | "number"
  | "one_line"
  | "range"
  | "rehearsed_calls"
  | "scenario_agent"
  | "scenario_aliases"
  | "scenario_broken"
  | "scenario_characters"
  | "scenario_choice"
  | "scenario_exactly_one"
  | "scenario_example"
  | "scenario_fields"
  | "scenario_least"
  | "scenario_list"
  | "scenario_long"
  | "scenario_missing"
  | "scenario_most"
  | "scenario_near"
  | "scenario_number"
  | "scenario_other"
  | "scenario_patterns"
  | "scenario_slow"
  | "scenario_text"
  | "scenario_true_or_false"
  | "scenario_unknown"
  | "scenario_whole_number"
  | "scenarios_at_once"
  | "scenario_with"
  | "time"
  | "tool_name"
  | "transfer_to"
  | "trunk_country"
  | "trunk_password"
  | "url";

/** Reason for a web site that is read, or a page of it. */
export type SiteReason =
  | "site_address"
  | "site_answer"
  | "site_certificate"
  | "site_circle"
  | "site_connection"
  | "site_cut"
  | "site_fails"
  | "site_gone"
  | "site_large"
  | "site_login"
  | "site_name"
  | "site_no_pages"
  | "site_redirects"
  | "site_robots"
  | "site_status"
  | "site_time";

/** Reason with every other code. */
export type ProblemReason =
  | SiteReason
  | "account_exists"
  | "already_member"
  | "being_sent"
  | "bought"
  | "call_over"
  | "calls_at_once"
  | "campaign_state"
  | "comments_of_call"
  | "daily_spend"
  | "disk_full"
  | "have_owner"
  | "company_full"
  | "last_owner"
  | "number_taken"
  | "not_rehearsed"
  | "rehearsal_failed"
  | "rehearsal_under_way"
  | "scenarios_of_agent"
  | "schedule_over"
  | "acting"
  | "signed_out"
  | "suspended"
  | "trial_minutes"
  | "tags_of_call"
  | "tags_of_company"
  | "tool_taken"
  | "totp_on"
  | "trial"
  | "webhook_off"
  | "words_gone"
  | "wrong_passkey"
  | "wrong_totp";

export type MessageReason = FieldReason | ProblemReason;

export interface MessageName {
  readonly reason?: MessageReason;
  /** Values for the placeholders of the message. */
  readonly params?: Readonly<Record<string, string | number>>;
}
