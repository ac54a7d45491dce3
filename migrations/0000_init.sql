CREATE TABLE `agent_files` (
	`agent_id` integer NOT NULL,
	`file_id` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `file_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_files_file` ON `agent_files` (`file_id`);--> statement-breakpoint
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
CREATE INDEX `agents_tenant` ON `agents` (`tenant_id`);--> statement-breakpoint
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
CREATE INDEX `files_tenant` ON `files` (`tenant_id`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `phone_numbers_number` ON `phone_numbers` (`number_e164`);--> statement-breakpoint
CREATE INDEX `phone_numbers_tenant` ON `phone_numbers` (`tenant_id`);--> statement-breakpoint
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
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tools_name` ON `tools` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `calls` (
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
	`mos` real,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `calls_uuid` ON `calls` (`call_uuid`);--> statement-breakpoint
CREATE INDEX `calls_tenant_newest` ON `calls` (`tenant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_tenant_agent` ON `calls` (`tenant_id`,`agent_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_tenant_status` ON `calls` (`tenant_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_tenant_direction` ON `calls` (`tenant_id`,`direction`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_live` ON `calls` (`status`);--> statement-breakpoint
CREATE TABLE `schedules` (
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
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `schedules_due` ON `schedules` (`status`,`schedule_at`);--> statement-breakpoint
CREATE INDEX `schedules_tenant` ON `schedules` (`tenant_id`,`schedule_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `schedules_call` ON `schedules` (`call_uuid`);--> statement-breakpoint
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
CREATE INDEX `tool_calls_call` ON `tool_calls` (`call_id`);--> statement-breakpoint
CREATE TABLE `turns` (
	`call_id` integer NOT NULL,
	`turn_index` integer NOT NULL,
	`speaker` text NOT NULL,
	`text` text NOT NULL,
	`start_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`interrupted` integer NOT NULL,
	`latency_ms` integer,
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
CREATE INDEX `checkouts_tenant` ON `checkouts` (`tenant_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_session` ON `checkouts` (`provider_session`);--> statement-breakpoint
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
CREATE INDEX `holds_tenant` ON `holds` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `ledger_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`transaction_id` integer NOT NULL,
	`tenant_id` integer NOT NULL,
	`account` text NOT NULL,
	`amount` integer NOT NULL,
	FOREIGN KEY (`transaction_id`) REFERENCES `ledger_transactions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `ledger_entries_account` ON `ledger_entries` (`tenant_id`,`account`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `ledger_transactions_key` ON `ledger_transactions` (`key`);--> statement-breakpoint
CREATE INDEX `ledger_transactions_tenant` ON `ledger_transactions` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `plan_usage` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`month` text NOT NULL,
	`seconds_used` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `plan_usage_month` ON `plan_usage` (`tenant_id`,`month`);--> statement-breakpoint
CREATE TABLE `wallets` (
	`tenant_id` integer PRIMARY KEY NOT NULL,
	`balance` integer NOT NULL,
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
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`,`created_at`);--> statement-breakpoint
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
CREATE INDEX `events_tenant` ON `events` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_call` ON `events` (`call_uuid`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `idempotency_key` ON `idempotency` (`tenant_id`,`key`);--> statement-breakpoint
CREATE INDEX `idempotency_age` ON `idempotency` (`created_at`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `mails_key` ON `mails` (`key`);--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`status`,`next_attempt_at`);--> statement-breakpoint
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
CREATE INDEX `outbox_due` ON `outbox` (`status`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `outbox_webhook` ON `outbox` (`webhook_id`);--> statement-breakpoint
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
CREATE INDEX `webhooks_tenant` ON `webhooks` (`tenant_id`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`);--> statement-breakpoint
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
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `trunks_tenant` ON `trunks` (`tenant_id`);--> statement-breakpoint
CREATE TRIGGER `ledger_entries_no_update` BEFORE UPDATE ON `ledger_entries` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;--> statement-breakpoint
CREATE TRIGGER `ledger_entries_no_delete` BEFORE DELETE ON `ledger_entries` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;--> statement-breakpoint
CREATE TRIGGER `ledger_transactions_no_update` BEFORE UPDATE ON `ledger_transactions` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;--> statement-breakpoint
CREATE TRIGGER `ledger_transactions_no_delete` BEFORE DELETE ON `ledger_transactions` BEGIN SELECT RAISE(ABORT, 'ledger rows are only added'); END;
