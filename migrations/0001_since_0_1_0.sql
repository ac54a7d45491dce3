-- New tables.
CREATE TABLE `revocation_journals` (
	`journal` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `call_notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`times` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`weight` integer NOT NULL,
	`calls` integer NOT NULL,
	`beat` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`is_draining` integer DEFAULT false NOT NULL,
	`is_stopped` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE `agent_drafts` (
	`agent_id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`base_version` integer NOT NULL,
	`author` text NOT NULL,
	`updated_at` integer NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `agent_splits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`version_a` integer NOT NULL,
	`version_b` integer NOT NULL,
	`percent_b` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `agent_version_files` (
	`version_id` integer NOT NULL,
	`sha256` text NOT NULL,
	PRIMARY KEY(`version_id`, `sha256`),
	FOREIGN KEY (`version_id`) REFERENCES `agent_versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `agent_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`author` text NOT NULL,
	`restored_from` integer,
	`created_at` integer NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `version_texts` (
	`tenant_id` integer NOT NULL,
	`sha256` text NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `sha256`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `agent_scenarios` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`name` text NOT NULL,
	`yaml` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `call_comments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`call_id` integer NOT NULL,
	`user_id` integer,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `call_tags` (
	`call_id` integer NOT NULL,
	`tenant_id` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`call_id`, `tag`),
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `knowledge_sites` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`url` text NOT NULL,
	`depth_max` integer NOT NULL,
	`pages_max` integer NOT NULL,
	`every_hours` integer NOT NULL,
	`agent_id` integer,
	`file_ids` text NOT NULL,
	`pages` text NOT NULL,
	`problem` text,
	`read_at` integer,
	`due_at` integer,
	`reading_until` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
-- New columns.
ALTER TABLE `sessions` ADD `confirmed_at` integer;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `acting_until` integer;
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scopes` text;
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expires_at` integer;
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `networks` text;
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `created_by` integer;
--> statement-breakpoint
ALTER TABLE `tenants` ADD `requires_second_factor` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `tenants` ADD `short_numbers` text;
--> statement-breakpoint
ALTER TABLE `tenants` ADD `burst_told_at` integer;
--> statement-breakpoint
ALTER TABLE `schedules` ADD `to_country` text;
--> statement-breakpoint
ALTER TABLE `agents` ADD `send_digits_inbound` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `agents` ADD `version` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `agents` ADD `publishes_rehearsed` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `calls` ADD `recording_delete_at` integer;
--> statement-breakpoint
ALTER TABLE `calls` ADD `llm_cached_input_tokens` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `calls` ADD `agent_version` integer;
--> statement-breakpoint
ALTER TABLE `calls` ADD `discarded_tokens` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `calls` ADD `discarded_characters` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `calls` ADD `discarded_stt_seconds` real DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `calls` ADD `cost_discarded` integer;
--> statement-breakpoint
ALTER TABLE `mails` ADD `recording_form` text DEFAULT 'attached' NOT NULL;
--> statement-breakpoint
ALTER TABLE `mails` ADD `recording_words` text;
--> statement-breakpoint
ALTER TABLE `trunks` ADD `extra_networks` text;
--> statement-breakpoint
ALTER TABLE `trunks` ADD `set_by_operator` integer DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE `rate_requests` ADD `count` integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE `files` ADD `content_sha256` text;
--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `details` text;
--> statement-breakpoint
ALTER TABLE `turns` ADD `sources` text;
--> statement-breakpoint
ALTER TABLE `turns` ADD `unanswered` text;
--> statement-breakpoint
ALTER TABLE `call_evidence` ADD `packet_headers` text;
--> statement-breakpoint
-- New and changed indexes.
DROP INDEX `files_tenant`;
--> statement-breakpoint
DROP INDEX `calls_tenant_newest`;
--> statement-breakpoint
CREATE INDEX `schedules_fired` ON `schedules` (`tenant_id`,`fired_at`) WHERE fired_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `schedules_number` ON `schedules` (`tenant_id`,`to_number`,`fired_at`) WHERE fired_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `schedules_abroad` ON `schedules` (`tenant_id`,`to_country`,`fired_at`) WHERE to_country IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `calls_recording_delete` ON `calls` (`recording_delete_at`) WHERE recording_delete_at IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `call_notices_subject` ON `call_notices` (`tenant_id`,`kind`,`subject`);
--> statement-breakpoint
CREATE INDEX `agent_drafts_tenant` ON `agent_drafts` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `agent_splits_agent` ON `agent_splits` (`agent_id`,`started_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_splits_open` ON `agent_splits` (`agent_id`) WHERE ended_at IS NULL;
--> statement-breakpoint
CREATE INDEX `agent_version_files_text` ON `agent_version_files` (`sha256`);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_versions_number` ON `agent_versions` (`agent_id`,`number`);
--> statement-breakpoint
CREATE INDEX `agents_unversioned` ON `agents` (`tenant_id`) WHERE version = 0;
--> statement-breakpoint
CREATE INDEX `files_unversioned` ON `files` (`tenant_id`) WHERE content_sha256 IS NULL;
--> statement-breakpoint
CREATE INDEX `turns_unanswered` ON `turns` (`call_id`) WHERE unanswered IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_scenarios_name` ON `agent_scenarios` (`agent_id`,`name`);
--> statement-breakpoint
CREATE INDEX `agent_scenarios_tenant` ON `agent_scenarios` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `call_comments_call` ON `call_comments` (`call_id`);
--> statement-breakpoint
CREATE INDEX `call_comments_tenant` ON `call_comments` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `call_tags_tenant` ON `call_tags` (`tenant_id`,`tag`,`call_id`);
--> statement-breakpoint
CREATE INDEX `knowledge_sites_tenant` ON `knowledge_sites` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `knowledge_sites_due` ON `knowledge_sites` (`due_at`);
--> statement-breakpoint
CREATE INDEX `files_listed` ON `files` (`tenant_id`,`id`,`filename`,`format`,`size_bytes`,`created_at`,`updated_at`,`content_sha256`);
--> statement-breakpoint
CREATE INDEX `calls_tenant_newest` ON `calls` (`tenant_id`,`created_at`,`id`,`latency_p50_ms`,`latency_p95_ms`);
--> statement-breakpoint
CREATE INDEX `outbox_failed_webhook` ON `outbox` (`webhook_id`) WHERE status = 'failed' AND webhook_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `campaign_targets_listed` ON `campaign_targets` (`campaign_id`);
--> statement-breakpoint
CREATE INDEX `campaign_targets_listed_state` ON `campaign_targets` (`campaign_id`,`status`);
--> statement-breakpoint
CREATE INDEX `campaign_targets_results` ON `campaign_targets` (`campaign_id`,`updated_at`);
--> statement-breakpoint
-- Rows of 0.1.0.
UPDATE `call_memories` SET `outcome` = 'We spoke.' WHERE `outcome` LIKE 'We spoke: %';
--> statement-breakpoint
-- Sums of calls by hour: in the order of their key, with cached tokens and discarded work.
DROP TRIGGER `calls_rollup_insert`;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_delete`;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_update`;
--> statement-breakpoint
CREATE TABLE `unordered_rollups` AS SELECT * FROM `call_rollups`;
--> statement-breakpoint
DROP TABLE `call_rollups`;
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
	`llm_cached_input_tokens` integer DEFAULT 0 NOT NULL,
	`discarded_tokens` integer DEFAULT 0 NOT NULL,
	`discarded_characters` integer DEFAULT 0 NOT NULL,
	`discarded_stt_seconds` real DEFAULT 0 NOT NULL,
	`cost_discarded` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tenant_id`, `hour`, `agent_id`, `direction`, `status`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  SELECT `tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`
  FROM `unordered_rollups` ORDER BY `tenant_id`, `hour`, `agent_id`, `direction`, `status`;
--> statement-breakpoint
DROP TABLE `unordered_rollups`;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_insert` AFTER INSERT ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`,
    1, (new.`answered_at` IS NOT NULL), CASE WHEN new.`answered_at` IS NOT NULL AND new.`ended_at` IS NOT NULL THEN new.`ended_at` - new.`answered_at` ELSE 0 END, new.`billable_seconds`, new.`included_seconds`, new.`overage_seconds`, new.`cost`, coalesce(new.`cost_stt`, 0) + coalesce(new.`cost_llm`, 0) + coalesce(new.`cost_tts`, 0) + coalesce(new.`cost_trunk`, 0), new.`llm_input_tokens`, new.`llm_cached_input_tokens`, new.`llm_output_tokens`, new.`tts_characters`, new.`stt_seconds`, new.`discarded_tokens`, new.`discarded_characters`, new.`discarded_stt_seconds`, coalesce(new.`cost_discarded`, 0))
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
    `llm_cached_input_tokens` = `llm_cached_input_tokens` + excluded.`llm_cached_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`,
    `discarded_tokens` = `discarded_tokens` + excluded.`discarded_tokens`,
    `discarded_characters` = `discarded_characters` + excluded.`discarded_characters`,
    `discarded_stt_seconds` = `discarded_stt_seconds` + excluded.`discarded_stt_seconds`,
    `cost_discarded` = `cost_discarded` + excluded.`cost_discarded`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (new.`tenant_id`, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`, 1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
END;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_delete` AFTER DELETE ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`)
  VALUES (old.`tenant_id`, old.`created_at` / 3600000, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`,
    -(1), -((old.`answered_at` IS NOT NULL)), -(CASE WHEN old.`answered_at` IS NOT NULL AND old.`ended_at` IS NOT NULL THEN old.`ended_at` - old.`answered_at` ELSE 0 END), -(old.`billable_seconds`), -(old.`included_seconds`), -(old.`overage_seconds`), -(old.`cost`), -(coalesce(old.`cost_stt`, 0) + coalesce(old.`cost_llm`, 0) + coalesce(old.`cost_tts`, 0) + coalesce(old.`cost_trunk`, 0)), -(old.`llm_input_tokens`), -(old.`llm_cached_input_tokens`), -(old.`llm_output_tokens`), -(old.`tts_characters`), -(old.`stt_seconds`), -(old.`discarded_tokens`), -(old.`discarded_characters`), -(old.`discarded_stt_seconds`), -(coalesce(old.`cost_discarded`, 0)))
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
    `llm_cached_input_tokens` = `llm_cached_input_tokens` + excluded.`llm_cached_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`,
    `discarded_tokens` = `discarded_tokens` + excluded.`discarded_tokens`,
    `discarded_characters` = `discarded_characters` + excluded.`discarded_characters`,
    `discarded_stt_seconds` = `discarded_stt_seconds` + excluded.`discarded_stt_seconds`,
    `cost_discarded` = `cost_discarded` + excluded.`cost_discarded`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (old.`tenant_id`, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`, -1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  DELETE FROM `call_rollups` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `hour` = old.`created_at` / 3600000
    AND `agent_id` = coalesce(old.`agent_id`, 0) AND `direction` = old.`direction` AND `status` = old.`status`;
END;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_update` AFTER UPDATE OF `tenant_id`, `agent_id`, `direction`, `status`, `created_at`, `answered_at`, `ended_at`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_stt`, `cost_llm`, `cost_tts`, `cost_trunk`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded` ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`)
  VALUES (old.`tenant_id`, old.`created_at` / 3600000, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`,
    -(1), -((old.`answered_at` IS NOT NULL)), -(CASE WHEN old.`answered_at` IS NOT NULL AND old.`ended_at` IS NOT NULL THEN old.`ended_at` - old.`answered_at` ELSE 0 END), -(old.`billable_seconds`), -(old.`included_seconds`), -(old.`overage_seconds`), -(old.`cost`), -(coalesce(old.`cost_stt`, 0) + coalesce(old.`cost_llm`, 0) + coalesce(old.`cost_tts`, 0) + coalesce(old.`cost_trunk`, 0)), -(old.`llm_input_tokens`), -(old.`llm_cached_input_tokens`), -(old.`llm_output_tokens`), -(old.`tts_characters`), -(old.`stt_seconds`), -(old.`discarded_tokens`), -(old.`discarded_characters`), -(old.`discarded_stt_seconds`), -(coalesce(old.`cost_discarded`, 0)))
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
    `llm_cached_input_tokens` = `llm_cached_input_tokens` + excluded.`llm_cached_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`,
    `discarded_tokens` = `discarded_tokens` + excluded.`discarded_tokens`,
    `discarded_characters` = `discarded_characters` + excluded.`discarded_characters`,
    `discarded_stt_seconds` = `discarded_stt_seconds` + excluded.`discarded_stt_seconds`,
    `cost_discarded` = `cost_discarded` + excluded.`cost_discarded`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (old.`tenant_id`, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`, -1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`,
    1, (new.`answered_at` IS NOT NULL), CASE WHEN new.`answered_at` IS NOT NULL AND new.`ended_at` IS NOT NULL THEN new.`ended_at` - new.`answered_at` ELSE 0 END, new.`billable_seconds`, new.`included_seconds`, new.`overage_seconds`, new.`cost`, coalesce(new.`cost_stt`, 0) + coalesce(new.`cost_llm`, 0) + coalesce(new.`cost_tts`, 0) + coalesce(new.`cost_trunk`, 0), new.`llm_input_tokens`, new.`llm_cached_input_tokens`, new.`llm_output_tokens`, new.`tts_characters`, new.`stt_seconds`, new.`discarded_tokens`, new.`discarded_characters`, new.`discarded_stt_seconds`, coalesce(new.`cost_discarded`, 0))
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
    `llm_cached_input_tokens` = `llm_cached_input_tokens` + excluded.`llm_cached_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`,
    `discarded_tokens` = `discarded_tokens` + excluded.`discarded_tokens`,
    `discarded_characters` = `discarded_characters` + excluded.`discarded_characters`,
    `discarded_stt_seconds` = `discarded_stt_seconds` + excluded.`discarded_stt_seconds`,
    `cost_discarded` = `cost_discarded` + excluded.`cost_discarded`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (new.`tenant_id`, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`, 1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  DELETE FROM `call_rollups` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `hour` = old.`created_at` / 3600000
    AND `agent_id` = coalesce(old.`agent_id`, 0) AND `direction` = old.`direction` AND `status` = old.`status`;
END;
--> statement-breakpoint
-- Changes of ended calls, whose JSON is reused until then.
CREATE TABLE `ended_call_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `ended_call_changed` AFTER UPDATE OF `id`, `call_uuid`, `tenant_id`, `direction`, `from_number`, `to_number`, `status`, `billable_seconds`, `cost`, `agent_id`, `created_at`, `answered_at`, `ended_at`, `ended_reason`, `schedule_id` ON `calls`
WHEN old.`ended_at` IS NOT NULL
BEGIN
  INSERT INTO `ended_call_changes` (`id`, `changes`) VALUES (1, 1) ON CONFLICT (`id`) DO UPDATE SET `changes` = `changes` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `ended_call_deleted` AFTER DELETE ON `calls`
WHEN old.`ended_at` IS NOT NULL
BEGIN
  INSERT INTO `ended_call_changes` (`id`, `changes`) VALUES (1, 1) ON CONFLICT (`id`) DO UPDATE SET `changes` = `changes` + 1;
END;
--> statement-breakpoint
-- The search in calls.
CREATE VIRTUAL TABLE `search_index` USING fts5(`words`, content="", detail=none, columnsize=0, tokenize=ascii);
--> statement-breakpoint
INSERT INTO `search_index` (`search_index`, `rank`) VALUES ('automerge', 0), ('crisismerge', 1000), ('usermerge', 2), ('pgsz', 1000);
--> statement-breakpoint
CREATE TABLE `search_words` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`word` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_words_word` ON `search_words` (`tenant_id`,`word`);
--> statement-breakpoint
CREATE TABLE `search_endings` (
	`tenant_id` integer NOT NULL,
	`ending` text NOT NULL,
	`word_id` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `ending`, `word_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER `search_words_insert` AFTER INSERT ON `search_words` BEGIN
  INSERT OR IGNORE INTO `search_endings` (`tenant_id`, `ending`, `word_id`)
  SELECT new.`tenant_id`, substr(new.`word`, `value`), new.`id`
  FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]')
  WHERE `value` <= length(new.`word`);
END;
--> statement-breakpoint
CREATE TRIGGER `search_words_delete` AFTER DELETE ON `search_words` BEGIN
  DELETE FROM `search_endings` WHERE `tenant_id` = old.`tenant_id` AND `word_id` = old.`id` AND `ending` IN (
    SELECT substr(old.`word`, `value`)
    FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]')
    WHERE `value` <= length(old.`word`)
  );
END;
--> statement-breakpoint
CREATE TABLE `search_documents` (
	`doc` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`call_id` integer NOT NULL,
	`newest_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_documents_call` ON `search_documents` (`call_id`);
--> statement-breakpoint
CREATE INDEX `search_documents_newest` ON `search_documents` (`tenant_id`,`newest_at`);
--> statement-breakpoint
CREATE TABLE `search_queue` (
	`tenant_id` integer NOT NULL,
	`call_id` integer NOT NULL,
	`due_at` integer,
	`revision` integer DEFAULT (abs(random() % 9007199254740991)) NOT NULL,
	PRIMARY KEY(`tenant_id`, `call_id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `search_queue` (`tenant_id`, `call_id`, `due_at`) SELECT `tenant_id`, `id`, `ended_at` FROM `calls` ORDER BY `tenant_id`, `id`;
--> statement-breakpoint
CREATE INDEX `search_queue_due` ON `search_queue` (`due_at`) WHERE `due_at` IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `search_queue_tenant` ON `search_queue` (`tenant_id`,`due_at`) WHERE `due_at` IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER `search_call_inserted` AFTER INSERT ON `calls` BEGIN
  INSERT INTO `search_queue` (`tenant_id`, `call_id`, `due_at`) VALUES (new.`tenant_id`, new.`id`, new.`ended_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `search_call_ended` AFTER UPDATE OF `ended_at` ON `calls`
WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL
BEGIN
  UPDATE `search_queue` SET `due_at` = new.`ended_at`, `revision` = abs(random() % 9007199254740991)
  WHERE `tenant_id` = new.`tenant_id` AND `call_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TABLE `search_contact_changes` (
	`tenant_id` integer PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `search_contact_inserted` AFTER INSERT ON `contacts` BEGIN
  INSERT INTO `search_contact_changes` (`tenant_id`, `changes`) VALUES (new.`tenant_id`, 1) ON CONFLICT (`tenant_id`) DO UPDATE SET `changes` = `changes` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `search_contact_renamed` AFTER UPDATE OF `tenant_id`, `number_e164`, `first_name`, `last_name` ON `contacts` BEGIN
  INSERT INTO `search_contact_changes` (`tenant_id`, `changes`) VALUES (new.`tenant_id`, 1) ON CONFLICT (`tenant_id`) DO UPDATE SET `changes` = `changes` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `search_contact_deleted` AFTER DELETE ON `contacts` BEGIN
  INSERT INTO `search_contact_changes` (`tenant_id`, `changes`) VALUES (old.`tenant_id`, 1) ON CONFLICT (`tenant_id`) DO UPDATE SET `changes` = `changes` + 1;
END;
--> statement-breakpoint
-- Sums of calls by day, and of all calls by hour.
CREATE TABLE `call_days` (
	`tenant_id` integer NOT NULL,
	`day` integer NOT NULL,
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
	`llm_cached_input_tokens` integer DEFAULT 0 NOT NULL,
	`llm_output_tokens` integer NOT NULL,
	`tts_characters` integer NOT NULL,
	`stt_seconds` real NOT NULL,
	`discarded_tokens` integer DEFAULT 0 NOT NULL,
	`discarded_characters` integer DEFAULT 0 NOT NULL,
	`discarded_stt_seconds` real DEFAULT 0 NOT NULL,
	`cost_discarded` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tenant_id`, `day`, `agent_id`, `direction`, `status`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `call_hours` (
	`tenant_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`calls` integer NOT NULL,
	`answered` integer NOT NULL,
	`billable_seconds` integer NOT NULL,
	`cost` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `hour`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `call_days` (`tenant_id`, `day`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`)
  SELECT `tenant_id`, `hour` / 24, `agent_id`, `direction`, `status`, sum(`calls`), sum(`answered`), sum(`talk_ms`), sum(`billable_seconds`), sum(`included_seconds`), sum(`overage_seconds`), sum(`cost`), sum(`cost_of_goods`), sum(`llm_input_tokens`), sum(`llm_cached_input_tokens`), sum(`llm_output_tokens`), sum(`tts_characters`), sum(`stt_seconds`), sum(`discarded_tokens`), sum(`discarded_characters`), sum(`discarded_stt_seconds`), sum(`cost_discarded`)
  FROM `call_rollups` GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
INSERT INTO `call_hours` (`tenant_id`, `hour`, `calls`, `answered`, `billable_seconds`, `cost`)
  SELECT `tenant_id`, `hour`, sum(`calls`), sum(`answered`), sum(`billable_seconds`), sum(`cost`)
  FROM `call_rollups` WHERE `status` <> 'queued' GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER `call_sums_insert` AFTER INSERT ON `call_rollups` BEGIN
  INSERT INTO `call_days` (`tenant_id`, `day`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`)
  VALUES (new.`tenant_id`, new.`hour` / 24, new.`agent_id`, new.`direction`, new.`status`, new.`calls`, new.`answered`, new.`talk_ms`, new.`billable_seconds`, new.`included_seconds`, new.`overage_seconds`, new.`cost`, new.`cost_of_goods`, new.`llm_input_tokens`, new.`llm_cached_input_tokens`, new.`llm_output_tokens`, new.`tts_characters`, new.`stt_seconds`, new.`discarded_tokens`, new.`discarded_characters`, new.`discarded_stt_seconds`, new.`cost_discarded`)
  ON CONFLICT (`tenant_id`, `day`, `agent_id`, `direction`, `status`) DO UPDATE SET
    `calls` = `calls` + excluded.`calls`,
    `answered` = `answered` + excluded.`answered`,
    `talk_ms` = `talk_ms` + excluded.`talk_ms`,
    `billable_seconds` = `billable_seconds` + excluded.`billable_seconds`,
    `included_seconds` = `included_seconds` + excluded.`included_seconds`,
    `overage_seconds` = `overage_seconds` + excluded.`overage_seconds`,
    `cost` = `cost` + excluded.`cost`,
    `cost_of_goods` = `cost_of_goods` + excluded.`cost_of_goods`,
    `llm_input_tokens` = `llm_input_tokens` + excluded.`llm_input_tokens`,
    `llm_cached_input_tokens` = `llm_cached_input_tokens` + excluded.`llm_cached_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + excluded.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + excluded.`tts_characters`,
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`,
    `discarded_tokens` = `discarded_tokens` + excluded.`discarded_tokens`,
    `discarded_characters` = `discarded_characters` + excluded.`discarded_characters`,
    `discarded_stt_seconds` = `discarded_stt_seconds` + excluded.`discarded_stt_seconds`,
    `cost_discarded` = `cost_discarded` + excluded.`cost_discarded`;
  INSERT INTO `call_hours` (`tenant_id`, `hour`, `calls`, `answered`, `billable_seconds`, `cost`)
  SELECT new.`tenant_id`, new.`hour`, new.`calls`, new.`answered`, new.`billable_seconds`, new.`cost` WHERE new.`status` <> 'queued'
  ON CONFLICT (`tenant_id`, `hour`) DO UPDATE SET
    `calls` = `calls` + excluded.`calls`,
    `answered` = `answered` + excluded.`answered`,
    `billable_seconds` = `billable_seconds` + excluded.`billable_seconds`,
    `cost` = `cost` + excluded.`cost`;
END;
--> statement-breakpoint
CREATE TRIGGER `call_sums_update` AFTER UPDATE ON `call_rollups` BEGIN
  UPDATE `call_days` SET
    `calls` = `calls` + new.`calls` - old.`calls`,
    `answered` = `answered` + new.`answered` - old.`answered`,
    `talk_ms` = `talk_ms` + new.`talk_ms` - old.`talk_ms`,
    `billable_seconds` = `billable_seconds` + new.`billable_seconds` - old.`billable_seconds`,
    `included_seconds` = `included_seconds` + new.`included_seconds` - old.`included_seconds`,
    `overage_seconds` = `overage_seconds` + new.`overage_seconds` - old.`overage_seconds`,
    `cost` = `cost` + new.`cost` - old.`cost`,
    `cost_of_goods` = `cost_of_goods` + new.`cost_of_goods` - old.`cost_of_goods`,
    `llm_input_tokens` = `llm_input_tokens` + new.`llm_input_tokens` - old.`llm_input_tokens`,
    `llm_cached_input_tokens` = `llm_cached_input_tokens` + new.`llm_cached_input_tokens` - old.`llm_cached_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` + new.`llm_output_tokens` - old.`llm_output_tokens`,
    `tts_characters` = `tts_characters` + new.`tts_characters` - old.`tts_characters`,
    `stt_seconds` = `stt_seconds` + new.`stt_seconds` - old.`stt_seconds`,
    `discarded_tokens` = `discarded_tokens` + new.`discarded_tokens` - old.`discarded_tokens`,
    `discarded_characters` = `discarded_characters` + new.`discarded_characters` - old.`discarded_characters`,
    `discarded_stt_seconds` = `discarded_stt_seconds` + new.`discarded_stt_seconds` - old.`discarded_stt_seconds`,
    `cost_discarded` = `cost_discarded` + new.`cost_discarded` - old.`cost_discarded`
  WHERE `tenant_id` = new.`tenant_id` AND `day` = new.`hour` / 24 AND `agent_id` = new.`agent_id` AND `direction` = new.`direction` AND `status` = new.`status`;
  UPDATE `call_hours` SET
    `calls` = `calls` + new.`calls` - old.`calls`,
    `answered` = `answered` + new.`answered` - old.`answered`,
    `billable_seconds` = `billable_seconds` + new.`billable_seconds` - old.`billable_seconds`,
    `cost` = `cost` + new.`cost` - old.`cost`
  WHERE `tenant_id` = new.`tenant_id` AND `hour` = new.`hour` AND new.`status` <> 'queued';
END;
--> statement-breakpoint
CREATE TRIGGER `call_sums_delete` AFTER DELETE ON `call_rollups` BEGIN
  UPDATE `call_days` SET
    `calls` = `calls` - old.`calls`,
    `answered` = `answered` - old.`answered`,
    `talk_ms` = `talk_ms` - old.`talk_ms`,
    `billable_seconds` = `billable_seconds` - old.`billable_seconds`,
    `included_seconds` = `included_seconds` - old.`included_seconds`,
    `overage_seconds` = `overage_seconds` - old.`overage_seconds`,
    `cost` = `cost` - old.`cost`,
    `cost_of_goods` = `cost_of_goods` - old.`cost_of_goods`,
    `llm_input_tokens` = `llm_input_tokens` - old.`llm_input_tokens`,
    `llm_cached_input_tokens` = `llm_cached_input_tokens` - old.`llm_cached_input_tokens`,
    `llm_output_tokens` = `llm_output_tokens` - old.`llm_output_tokens`,
    `tts_characters` = `tts_characters` - old.`tts_characters`,
    `stt_seconds` = `stt_seconds` - old.`stt_seconds`,
    `discarded_tokens` = `discarded_tokens` - old.`discarded_tokens`,
    `discarded_characters` = `discarded_characters` - old.`discarded_characters`,
    `discarded_stt_seconds` = `discarded_stt_seconds` - old.`discarded_stt_seconds`,
    `cost_discarded` = `cost_discarded` - old.`cost_discarded`
  WHERE `tenant_id` = old.`tenant_id` AND `day` = old.`hour` / 24 AND `agent_id` = old.`agent_id` AND `direction` = old.`direction` AND `status` = old.`status`;
  DELETE FROM `call_days` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `day` = old.`hour` / 24 AND `agent_id` = old.`agent_id` AND `direction` = old.`direction` AND `status` = old.`status`;
  UPDATE `call_hours` SET
    `calls` = `calls` - old.`calls`,
    `answered` = `answered` - old.`answered`,
    `billable_seconds` = `billable_seconds` - old.`billable_seconds`,
    `cost` = `cost` - old.`cost`
  WHERE `tenant_id` = old.`tenant_id` AND `hour` = old.`hour` AND old.`status` <> 'queued';
  DELETE FROM `call_hours` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `hour` = old.`hour`;
END;
