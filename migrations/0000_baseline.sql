CREATE TABLE `agent_files` (
	`agent_id` integer NOT NULL,
	`file_id` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `file_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `agents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`name` text NOT NULL,
	`prompt` text NOT NULL,
	`first_message` text NOT NULL,
	`first_speaker` text NOT NULL,
	`voice` text NOT NULL,
	`language` text NOT NULL,
	`max_duration_sec` integer NOT NULL,
	`voicemail_action` text NOT NULL,
	`filler_phrases` text NOT NULL,
	`webhook_url` text,
	`transcript_email` text,
	`transcript_email_enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`filename` text NOT NULL,
	`format` text NOT NULL,
	`content` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `phone_numbers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`label` text,
	`agent_id` integer,
	`inbound_enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `tools` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`url` text NOT NULL,
	`secret_header` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`parameters` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `caller_level` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `tool_calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`call_id` integer NOT NULL,
	`tool` text NOT NULL,
	`arguments` text NOT NULL,
	`ok` integer NOT NULL,
	`http_status` integer,
	`duration_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `turns` (
	`call_id` integer NOT NULL,
	`turn_index` integer NOT NULL,
	`speaker` text NOT NULL,
	`text` text NOT NULL,
	`start_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`interrupted` integer NOT NULL,
	`latency_ms` integer, `measures` text,
	PRIMARY KEY(`call_id`, `turn_index`),
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `checkouts` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`item` text,
	`provider` text NOT NULL,
	`provider_session` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`paid_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `holds` (
	`call_uuid` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`month` text NOT NULL,
	`plan_seconds` integer NOT NULL,
	`amount` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `ledger_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`transaction_id` integer NOT NULL,
	`tenant_id` integer NOT NULL,
	`account` text NOT NULL,
	`amount` integer NOT NULL,
	FOREIGN KEY (`transaction_id`) REFERENCES `ledger_transactions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `ledger_transactions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`key` text NOT NULL,
	`kind` text NOT NULL,
	`note` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `plan_usage` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`month` text NOT NULL,
	`seconds_used` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `wallets` (
	`tenant_id` integer PRIMARY KEY NOT NULL,
	`balance` integer NOT NULL, `told_below` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`outbox_id` integer,
	`webhook_id` integer,
	`event_id` text NOT NULL,
	`type` text NOT NULL,
	`attempt` integer NOT NULL,
	`status` text NOT NULL,
	`http_status` integer,
	`duration_ms` integer NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`next_attempt_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`outbox_id`) REFERENCES `outbox`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`type` text NOT NULL,
	`call_uuid` text,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `idempotency` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`key` text NOT NULL,
	`method` text NOT NULL,
	`path` text NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer,
	`response` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`key` text NOT NULL,
	`call_uuid` text,
	`recipient` text NOT NULL,
	`subject` text NOT NULL,
	`body` text NOT NULL,
	`attachment` text,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer,
	`lease_owner` text,
	`lease_until` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	`sent_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`webhook_id` integer,
	`legacy_url` text,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer,
	`lease_owner` text,
	`lease_until` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`enabled` integer NOT NULL,
	`failing_since` integer,
	`disabled_reason` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`label` text NOT NULL,
	`secret_hash` text NOT NULL,
	`prefix` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`plan` text NOT NULL,
	`time_zone` text NOT NULL,
	`suspended` integer DEFAULT false NOT NULL,
	`callback_memory` integer DEFAULT false NOT NULL,
	`named_greeting` integer DEFAULT false NOT NULL,
	`cli_identity` integer DEFAULT false NOT NULL,
	`birthday_calls` integer DEFAULT false NOT NULL,
	`crm_bridge` integer DEFAULT false NOT NULL,
	`webhook_secret_sealed` text NOT NULL,
	`webhook_secret_prefix` text NOT NULL,
	`legacy_webhook` integer DEFAULT false NOT NULL,
	`allowed_prefixes` text,
	`calls_per_minute_max` integer DEFAULT 30 NOT NULL,
	`daily_spend_max` integer,
	`retention_blocks` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `trunks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`server` text NOT NULL,
	`port` integer NOT NULL,
	`transport` text NOT NULL,
	`username` text NOT NULL,
	`password_sealed` text NOT NULL,
	`realm` text,
	`outbound_proxy` text,
	`caller_id` text NOT NULL,
	`register` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `channels` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `call_rollups` (
	`tenant_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`direction` text NOT NULL,
	`status` text NOT NULL,
	`calls` integer NOT NULL,
	`answered` integer NOT NULL,
	`talk_ms` integer NOT NULL,
	`billable_seconds` integer NOT NULL,
	`included_seconds` integer NOT NULL,
	`overage_seconds` integer NOT NULL,
	`cost` integer NOT NULL,
	`cost_of_goods` integer NOT NULL,
	`llm_input_tokens` integer NOT NULL,
	`llm_output_tokens` integer NOT NULL,
	`tts_characters` integer NOT NULL,
	`stt_seconds` real NOT NULL,
	PRIMARY KEY(`tenant_id`, `hour`, `agent_id`, `direction`, `status`)
);
--> statement-breakpoint
CREATE TABLE `call_totals` (
	`tenant_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`direction` text NOT NULL,
	`status` text NOT NULL,
	`calls` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `agent_id`, `direction`, `status`)
);
--> statement-breakpoint
CREATE TABLE "calls" (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`call_uuid` text NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer,
	`schedule_id` integer,
	`direction` text NOT NULL,
	`from_number` text NOT NULL,
	`to_number` text NOT NULL,
	`status` text NOT NULL,
	`ended_reason` text,
	`ended_explanation` text,
	`fault` text,
	`language` text,
	`created_at` integer NOT NULL,
	`ringing_at` integer,
	`answered_at` integer,
	`ended_at` integer,
	`heartbeat_at` integer,
	`answered_by` text,
	`summary` text,
	`transcript_expired_at` integer,
	`recording_status` text NOT NULL,
	`recording_file` text,
	`recording_ms` integer,
	`billable_seconds` integer DEFAULT 0 NOT NULL,
	`included_seconds` integer DEFAULT 0 NOT NULL,
	`overage_seconds` integer DEFAULT 0 NOT NULL,
	`overage_rate` integer NOT NULL,
	`cost` integer NOT NULL,
	`cost_stt` integer,
	`cost_llm` integer,
	`cost_tts` integer,
	`cost_trunk` integer,
	`llm_input_tokens` integer DEFAULT 0 NOT NULL,
	`llm_output_tokens` integer DEFAULT 0 NOT NULL,
	`tts_characters` integer DEFAULT 0 NOT NULL,
	`stt_seconds` real DEFAULT 0 NOT NULL,
	`latency_p50_ms` integer,
	`latency_p95_ms` integer,
	`sip_call_id` text,
	`sip_final_code` integer,
	`codec` text,
	`packets_lost` integer,
	`jitter_ms` real,
	`mos` real, `talk_clock_ms` integer, `talk_rtp_ms` integer, `talk_engine_ms` integer, `talk_difference_ms` integer, `node` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`call_uuid` text NOT NULL,
	`agent_id` integer,
	`to_number` text NOT NULL,
	`from_number` text NOT NULL,
	`schedule_at` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`immediate` integer NOT NULL,
	`fired_at` integer,
	`lease_owner` text,
	`lease_until` integer,
	`created_at` integer NOT NULL, `lease_token` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `legacy_endpoints` (
	`tenant_id` integer NOT NULL,
	`url` text NOT NULL,
	`failing_since` integer NOT NULL,
	`disabled_reason` text,
	PRIMARY KEY(`tenant_id`, `url`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `renewals` (
	`tenant_id` integer NOT NULL,
	`month` text NOT NULL,
	`item` text NOT NULL,
	`plan` text,
	`amount` integer NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	PRIMARY KEY(`tenant_id`, `month`, `item`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `rate_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key_id` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `trunk_leases` (
	`trunk_id` integer PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`beat` integer NOT NULL,
	`taken_at` integer NOT NULL,
	FOREIGN KEY (`trunk_id`) REFERENCES `trunks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer,
	`user_id` integer,
	`user_email` text,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`ip` text NOT NULL,
	`outcome` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `memberships` (
	`user_id` integer NOT NULL,
	`tenant_id` integer NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `tenant_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `one_time_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`token_hash` text NOT NULL,
	`user_id` integer,
	`tenant_id` integer,
	`email` text,
	`role` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`former_hash` text,
	`former_until` integer,
	`stage` text NOT NULL,
	`method` text NOT NULL,
	`tenant_id` integer,
	`rotate` integer DEFAULT false NOT NULL,
	`ip` text NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `sign_in_attempts` (
	`key` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`last_at` integer NOT NULL,
	`locked_until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `used_challenges` (
	`challenge` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`locale` text DEFAULT 'en' NOT NULL,
	`password_hash` text,
	`operator` integer DEFAULT false NOT NULL,
	`totp_sealed` text,
	`totp_pending_sealed` text,
	`totp_last_step` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer
);
--> statement-breakpoint
CREATE TABLE `call_evidence` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`sip` text NOT NULL,
	`quality` text NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `call_peaks` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`slots_per_second` real NOT NULL,
	`left_peaks` text NOT NULL,
	`right_peaks` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `tenant_disclosures` (
	`tenant_id` integer NOT NULL,
	`language` text NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `language`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `call_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`call_id` integer NOT NULL,
	`kind` text NOT NULL,
	`at_ms` integer NOT NULL,
	`note` text NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `appliance_secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `birthday_calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`contact_id` integer NOT NULL,
	`year` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`call_uuid` text,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `call_memories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`call_uuid` text NOT NULL,
	`reason` text NOT NULL,
	`outcome` text NOT NULL,
	`promise` text DEFAULT '' NOT NULL,
	`sensitive` integer DEFAULT false NOT NULL,
	`attempted_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `campaign_targets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`campaign_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`variables` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`not_before` integer NOT NULL,
	`call_uuid` text,
	`outcome` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`campaign_id`) REFERENCES `campaigns`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `campaigns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`name` text NOT NULL,
	`agent_id` integer,
	`from_number` text,
	`status` text NOT NULL,
	`calling_from` integer NOT NULL,
	`calling_to` integer NOT NULL,
	`concurrency_max` integer NOT NULL,
	`attempts_max` integer NOT NULL,
	`retry_after_min` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `contacts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`first_name` text DEFAULT '' NOT NULL,
	`last_name` text DEFAULT '' NOT NULL,
	`vocative` text,
	`birthday` text,
	`language` text,
	`notes` text DEFAULT '' NOT NULL,
	`consent` integer DEFAULT false NOT NULL,
	`do_not_call` integer DEFAULT false NOT NULL,
	`pin_hash` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `crm_cache` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`answer` text NOT NULL,
	`fetched_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `crm_posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`call_uuid` text NOT NULL,
	`body` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`leased_by` text,
	`leased_until` integer,
	`last_http_status` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `feature_settings` (
	`tenant_id` integer PRIMARY KEY NOT NULL,
	`calling_from` integer DEFAULT 600 NOT NULL,
	`calling_to` integer DEFAULT 1080 NOT NULL,
	`holidays` text,
	`birthday_agent_id` integer,
	`crm_url` text,
	`crm_secret_sealed` text,
	`crm_mapping` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`birthday_agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `pin_attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`call_uuid` text NOT NULL,
	`ok` integer NOT NULL,
	`attempted_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `call_purposes` (
	`call_uuid` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`reason` text NOT NULL,
	`sensitive` integer DEFAULT false NOT NULL,
	`origin` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `ledger_rollups` (
	`tenant_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`kind` text NOT NULL,
	`transactions` integer NOT NULL,
	`wallet` integer NOT NULL,
	`payments` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `hour`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `call_refusals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `agent_files_file` ON `agent_files` (`file_id`);
--> statement-breakpoint
CREATE INDEX `agents_tenant` ON `agents` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `files_tenant` ON `files` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `phone_numbers_number` ON `phone_numbers` (`number_e164`);
--> statement-breakpoint
CREATE INDEX `phone_numbers_tenant` ON `phone_numbers` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `tools_name` ON `tools` (`tenant_id`,`name`);
--> statement-breakpoint
CREATE INDEX `tool_calls_call` ON `tool_calls` (`call_id`);
--> statement-breakpoint
CREATE INDEX `checkouts_tenant` ON `checkouts` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_session` ON `checkouts` (`provider_session`);
--> statement-breakpoint
CREATE INDEX `holds_tenant` ON `holds` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `ledger_entries_account` ON `ledger_entries` (`tenant_id`,`account`);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_transactions_key` ON `ledger_transactions` (`key`);
--> statement-breakpoint
CREATE INDEX `ledger_transactions_tenant` ON `ledger_transactions` (`tenant_id`,`created_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `plan_usage_month` ON `plan_usage` (`tenant_id`,`month`);
--> statement-breakpoint
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `events_tenant` ON `events` (`tenant_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `events_call` ON `events` (`call_uuid`);
--> statement-breakpoint
CREATE UNIQUE INDEX `idempotency_key` ON `idempotency` (`tenant_id`,`key`);
--> statement-breakpoint
CREATE INDEX `idempotency_age` ON `idempotency` (`created_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `mails_key` ON `mails` (`key`);
--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`status`,`next_attempt_at`);
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`status`,`next_attempt_at`);
--> statement-breakpoint
CREATE INDEX `outbox_webhook` ON `outbox` (`webhook_id`);
--> statement-breakpoint
CREATE INDEX `webhooks_tenant` ON `webhooks` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`secret_hash`);
--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `trunks_tenant` ON `trunks` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `calls_uuid` ON `calls` (`call_uuid`);
--> statement-breakpoint
CREATE INDEX `calls_tenant_newest` ON `calls` (`tenant_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_tenant_agent` ON `calls` (`tenant_id`,`agent_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_tenant_status` ON `calls` (`tenant_id`,`status`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_tenant_direction` ON `calls` (`tenant_id`,`direction`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_agent_status` ON `calls` (`tenant_id`,`agent_id`,`status`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_agent_direction` ON `calls` (`tenant_id`,`agent_id`,`direction`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_status_direction` ON `calls` (`tenant_id`,`status`,`direction`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_agent_status_direction` ON `calls` (`tenant_id`,`agent_id`,`status`,`direction`,`created_at`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_live` ON `calls` (`status`);
--> statement-breakpoint
CREATE INDEX `schedules_due` ON `schedules` (`status`,`schedule_at`);
--> statement-breakpoint
CREATE INDEX `schedules_tenant` ON `schedules` (`tenant_id`,`immediate`,`schedule_at`,`id`);
--> statement-breakpoint
CREATE INDEX `schedules_tenant_status` ON `schedules` (`tenant_id`,`immediate`,`status`,`schedule_at`,`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `schedules_call` ON `schedules` (`call_uuid`);
--> statement-breakpoint
CREATE INDEX `outbox_event` ON `outbox` (`event_id`);
--> statement-breakpoint
CREATE INDEX `outbox_ready_webhook` ON `outbox` (`webhook_id`,`next_attempt_at`) WHERE status = 'pending' AND webhook_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `outbox_ready_legacy` ON `outbox` (`legacy_url`,`next_attempt_at`) WHERE status = 'pending' AND legacy_url IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `calls_transcript_kept` ON `calls` (`tenant_id`,`ended_at`) WHERE transcript_expired_at IS NULL AND ended_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `calls_recording_kept` ON `calls` (`ended_at`) WHERE recording_file IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `deliveries_outbox` ON `deliveries` (`outbox_id`);
--> statement-breakpoint
CREATE INDEX `deliveries_age` ON `deliveries` (`created_at`);
--> statement-breakpoint
CREATE INDEX `events_age` ON `events` (`created_at`);
--> statement-breakpoint
CREATE INDEX `mails_age` ON `mails` (`created_at`);
--> statement-breakpoint
CREATE INDEX `renewals_due` ON `renewals` (`status`,`month`);
--> statement-breakpoint
CREATE INDEX `rate_requests_key` ON `rate_requests` (`key_id`,`at`);
--> statement-breakpoint
CREATE INDEX `audit_entries_tenant` ON `audit_entries` (`tenant_id`,`id`);
--> statement-breakpoint
CREATE INDEX `audit_entries_age` ON `audit_entries` (`at`);
--> statement-breakpoint
CREATE INDEX `memberships_tenant` ON `memberships` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `one_time_links_token` ON `one_time_links` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `one_time_links_tenant` ON `one_time_links` (`tenant_id`,`kind`);
--> statement-breakpoint
CREATE INDEX `one_time_links_user` ON `one_time_links` (`user_id`);
--> statement-breakpoint
CREATE INDEX `one_time_links_age` ON `one_time_links` (`expires_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);
--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);
--> statement-breakpoint
CREATE INDEX `recovery_codes_user` ON `recovery_codes` (`user_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token` ON `sessions` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `sessions_former` ON `sessions` (`former_hash`);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
--> statement-breakpoint
CREATE INDEX `sessions_age` ON `sessions` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `sign_in_attempts_age` ON `sign_in_attempts` (`last_at`);
--> statement-breakpoint
CREATE INDEX `used_challenges_age` ON `used_challenges` (`expires_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);
--> statement-breakpoint
CREATE INDEX `call_notes_call` ON `call_notes` (`call_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `birthday_calls_once` ON `birthday_calls` (`contact_id`,`year`);
--> statement-breakpoint
CREATE INDEX `birthday_calls_call` ON `birthday_calls` (`call_uuid`);
--> statement-breakpoint
CREATE INDEX `birthday_calls_state` ON `birthday_calls` (`state`,`updated_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `call_memories_call` ON `call_memories` (`call_uuid`);
--> statement-breakpoint
CREATE INDEX `call_memories_number` ON `call_memories` (`tenant_id`,`number_e164`,`attempted_at`);
--> statement-breakpoint
CREATE INDEX `call_memories_age` ON `call_memories` (`attempted_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `campaign_targets_once` ON `campaign_targets` (`campaign_id`,`number_e164`);
--> statement-breakpoint
CREATE INDEX `campaign_targets_due` ON `campaign_targets` (`campaign_id`,`status`,`not_before`);
--> statement-breakpoint
CREATE INDEX `campaign_targets_call` ON `campaign_targets` (`call_uuid`);
--> statement-breakpoint
CREATE INDEX `campaigns_status` ON `campaigns` (`status`,`id`);
--> statement-breakpoint
CREATE INDEX `campaigns_tenant` ON `campaigns` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `contacts_number` ON `contacts` (`tenant_id`,`number_e164`);
--> statement-breakpoint
CREATE INDEX `contacts_name` ON `contacts` (`tenant_id`,`last_name`,`first_name`,`id`);
--> statement-breakpoint
CREATE INDEX `contacts_birthday` ON `contacts` (`tenant_id`,`birthday`);
--> statement-breakpoint
CREATE UNIQUE INDEX `crm_cache_number` ON `crm_cache` (`tenant_id`,`number_e164`);
--> statement-breakpoint
CREATE INDEX `crm_cache_age` ON `crm_cache` (`fetched_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `crm_posts_call` ON `crm_posts` (`call_uuid`);
--> statement-breakpoint
CREATE INDEX `crm_posts_due` ON `crm_posts` (`status`,`next_attempt_at`);
--> statement-breakpoint
CREATE INDEX `crm_posts_tenant` ON `crm_posts` (`tenant_id`,`id`);
--> statement-breakpoint
CREATE INDEX `pin_attempts_number` ON `pin_attempts` (`tenant_id`,`number_e164`,`attempted_at`);
--> statement-breakpoint
CREATE INDEX `calls_recording_in_work` ON `calls` (`recording_status`) WHERE recording_status IN ('processing', 'recording');
--> statement-breakpoint
CREATE INDEX `ledger_entries_transaction` ON `ledger_entries` (`transaction_id`);
--> statement-breakpoint
CREATE INDEX `ledger_transactions_listed` ON `ledger_transactions` (`tenant_id`,`created_at`) WHERE kind <> 'charge';
--> statement-breakpoint
CREATE UNIQUE INDEX `call_refusals_once` ON `call_refusals` (`tenant_id`,`number_hash`);
--> statement-breakpoint
CREATE INDEX `campaign_targets_calling` ON `campaign_targets` (`call_uuid`) WHERE status = 'calling';
--> statement-breakpoint
CREATE TRIGGER `ledger_entries_no_update` BEFORE UPDATE ON `ledger_entries` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_entries_no_delete` BEFORE DELETE ON `ledger_entries` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_transactions_no_update` BEFORE UPDATE ON `ledger_transactions` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_transactions_no_delete` BEFORE DELETE ON `ledger_transactions` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_insert` AFTER INSERT ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`,
    1, (new.`answered_at` IS NOT NULL), CASE WHEN new.`answered_at` IS NOT NULL AND new.`ended_at` IS NOT NULL THEN new.`ended_at` - new.`answered_at` ELSE 0 END, new.`billable_seconds`, new.`included_seconds`, new.`overage_seconds`, new.`cost`, coalesce(new.`cost_stt`, 0) + coalesce(new.`cost_llm`, 0) + coalesce(new.`cost_tts`, 0) + coalesce(new.`cost_trunk`, 0), new.`llm_input_tokens`, new.`llm_output_tokens`, new.`tts_characters`, new.`stt_seconds`)
  ON CONFLICT (`tenant_id`, `hour`, `agent_id`, `direction`, `status`) DO UPDATE SET
    `calls` = `calls` + excluded.`calls`,
    `answered` = `answered` + excluded.`answered`,
    `talk_ms` = `talk_ms` + excluded.`talk_ms`,
    `billable_seconds` = `billable_seconds` + excluded.`billable_seconds`,
    `included_seconds` = `included_seconds` + excluded.`included_seconds`,
    `overage_seconds` = `overage_seconds` + excluded.`overage_seconds`,
    `cost` = `cost` + excluded.`cost`,
    `cost_of_goods` = `cost_of_goods` + excluded.`cost_of_goods`,
    `llm_input_tokens` = `llm_input_tokens` + excluded.`llm_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (new.`tenant_id`, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`, 1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
END;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_delete` AFTER DELETE ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (old.`tenant_id`, old.`created_at` / 3600000, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`,
    -(1), -((old.`answered_at` IS NOT NULL)), -(CASE WHEN old.`answered_at` IS NOT NULL AND old.`ended_at` IS NOT NULL THEN old.`ended_at` - old.`answered_at` ELSE 0 END), -(old.`billable_seconds`), -(old.`included_seconds`), -(old.`overage_seconds`), -(old.`cost`), -(coalesce(old.`cost_stt`, 0) + coalesce(old.`cost_llm`, 0) + coalesce(old.`cost_tts`, 0) + coalesce(old.`cost_trunk`, 0)), -(old.`llm_input_tokens`), -(old.`llm_output_tokens`), -(old.`tts_characters`), -(old.`stt_seconds`))
  ON CONFLICT (`tenant_id`, `hour`, `agent_id`, `direction`, `status`) DO UPDATE SET
    `calls` = `calls` + excluded.`calls`,
    `answered` = `answered` + excluded.`answered`,
    `talk_ms` = `talk_ms` + excluded.`talk_ms`,
    `billable_seconds` = `billable_seconds` + excluded.`billable_seconds`,
    `included_seconds` = `included_seconds` + excluded.`included_seconds`,
    `overage_seconds` = `overage_seconds` + excluded.`overage_seconds`,
    `cost` = `cost` + excluded.`cost`,
    `cost_of_goods` = `cost_of_goods` + excluded.`cost_of_goods`,
    `llm_input_tokens` = `llm_input_tokens` + excluded.`llm_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (old.`tenant_id`, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`, -1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  DELETE FROM `call_rollups` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `hour` = old.`created_at` / 3600000
    AND `agent_id` = coalesce(old.`agent_id`, 0) AND `direction` = old.`direction` AND `status` = old.`status`;
END;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_update` AFTER UPDATE OF `tenant_id`, `agent_id`, `direction`, `status`, `created_at`, `answered_at`, `ended_at`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_stt`, `cost_llm`, `cost_tts`, `cost_trunk`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds` ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (old.`tenant_id`, old.`created_at` / 3600000, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`,
    -(1), -((old.`answered_at` IS NOT NULL)), -(CASE WHEN old.`answered_at` IS NOT NULL AND old.`ended_at` IS NOT NULL THEN old.`ended_at` - old.`answered_at` ELSE 0 END), -(old.`billable_seconds`), -(old.`included_seconds`), -(old.`overage_seconds`), -(old.`cost`), -(coalesce(old.`cost_stt`, 0) + coalesce(old.`cost_llm`, 0) + coalesce(old.`cost_tts`, 0) + coalesce(old.`cost_trunk`, 0)), -(old.`llm_input_tokens`), -(old.`llm_output_tokens`), -(old.`tts_characters`), -(old.`stt_seconds`))
  ON CONFLICT (`tenant_id`, `hour`, `agent_id`, `direction`, `status`) DO UPDATE SET
    `calls` = `calls` + excluded.`calls`,
    `answered` = `answered` + excluded.`answered`,
    `talk_ms` = `talk_ms` + excluded.`talk_ms`,
    `billable_seconds` = `billable_seconds` + excluded.`billable_seconds`,
    `included_seconds` = `included_seconds` + excluded.`included_seconds`,
    `overage_seconds` = `overage_seconds` + excluded.`overage_seconds`,
    `cost` = `cost` + excluded.`cost`,
    `cost_of_goods` = `cost_of_goods` + excluded.`cost_of_goods`,
    `llm_input_tokens` = `llm_input_tokens` + excluded.`llm_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (old.`tenant_id`, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`, -1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`,
    1, (new.`answered_at` IS NOT NULL), CASE WHEN new.`answered_at` IS NOT NULL AND new.`ended_at` IS NOT NULL THEN new.`ended_at` - new.`answered_at` ELSE 0 END, new.`billable_seconds`, new.`included_seconds`, new.`overage_seconds`, new.`cost`, coalesce(new.`cost_stt`, 0) + coalesce(new.`cost_llm`, 0) + coalesce(new.`cost_tts`, 0) + coalesce(new.`cost_trunk`, 0), new.`llm_input_tokens`, new.`llm_output_tokens`, new.`tts_characters`, new.`stt_seconds`)
  ON CONFLICT (`tenant_id`, `hour`, `agent_id`, `direction`, `status`) DO UPDATE SET
    `calls` = `calls` + excluded.`calls`,
    `answered` = `answered` + excluded.`answered`,
    `talk_ms` = `talk_ms` + excluded.`talk_ms`,
    `billable_seconds` = `billable_seconds` + excluded.`billable_seconds`,
    `included_seconds` = `included_seconds` + excluded.`included_seconds`,
    `overage_seconds` = `overage_seconds` + excluded.`overage_seconds`,
    `cost` = `cost` + excluded.`cost`,
    `cost_of_goods` = `cost_of_goods` + excluded.`cost_of_goods`,
    `llm_input_tokens` = `llm_input_tokens` + excluded.`llm_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (new.`tenant_id`, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`, 1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  DELETE FROM `call_rollups` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `hour` = old.`created_at` / 3600000
    AND `agent_id` = coalesce(old.`agent_id`, 0) AND `direction` = old.`direction` AND `status` = old.`status`;
END;
--> statement-breakpoint
CREATE TRIGGER `call_peaks_with_recording` AFTER UPDATE OF `recording_file` ON `calls`
WHEN new.`recording_file` IS NULL
BEGIN
  DELETE FROM `call_peaks` WHERE `call_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `ledger_rollup_transaction` AFTER INSERT ON `ledger_transactions` BEGIN
  INSERT INTO `ledger_rollups` (`tenant_id`, `hour`, `kind`, `transactions`, `wallet`, `payments`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, new.`kind`, 1, 0, 0)
  ON CONFLICT (`tenant_id`, `hour`, `kind`) DO UPDATE SET `transactions` = `transactions` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `ledger_rollup_entry` AFTER INSERT ON `ledger_entries` WHEN new.`account` IN ('wallet', 'payments') BEGIN
  INSERT INTO `ledger_rollups` (`tenant_id`, `hour`, `kind`, `transactions`, `wallet`, `payments`)
  SELECT t.`tenant_id`, t.`created_at` / 3600000, t.`kind`, 0,
    iif(new.`account` = 'wallet', new.`amount`, 0), iif(new.`account` = 'payments', new.`amount`, 0)
  FROM `ledger_transactions` t WHERE t.`id` = new.`transaction_id`
  ON CONFLICT (`tenant_id`, `hour`, `kind`) DO UPDATE SET
    `wallet` = `wallet` + excluded.`wallet`, `payments` = `payments` + excluded.`payments`;
END;
