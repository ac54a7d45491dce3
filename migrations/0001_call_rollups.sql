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
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_calls` (
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
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_calls`("id", "call_uuid", "tenant_id", "agent_id", "schedule_id", "direction", "from_number", "to_number", "status", "ended_reason", "ended_explanation", "fault", "language", "created_at", "ringing_at", "answered_at", "ended_at", "heartbeat_at", "answered_by", "summary", "transcript_expired_at", "recording_status", "recording_file", "recording_ms", "billable_seconds", "included_seconds", "overage_seconds", "overage_rate", "cost", "cost_stt", "cost_llm", "cost_tts", "cost_trunk", "llm_input_tokens", "llm_output_tokens", "tts_characters", "stt_seconds", "latency_p50_ms", "latency_p95_ms", "sip_call_id", "sip_final_code", "codec", "packets_lost", "jitter_ms", "mos") SELECT "id", "call_uuid", "tenant_id", "agent_id", "schedule_id", "direction", "from_number", "to_number", "status", "ended_reason", "ended_explanation", "fault", "language", "created_at", "ringing_at", "answered_at", "ended_at", "heartbeat_at", "answered_by", "summary", "transcript_expired_at", "recording_status", "recording_file", "recording_ms", "billable_seconds", "included_seconds", "overage_seconds", "overage_rate", "cost", "cost_stt", "cost_llm", "cost_tts", "cost_trunk", "llm_input_tokens", "llm_output_tokens", "tts_characters", "stt_seconds", "latency_p50_ms", "latency_p95_ms", "sip_call_id", "sip_final_code", "codec", "packets_lost", "jitter_ms", "mos" FROM `calls`;--> statement-breakpoint
DROP TABLE `calls`;--> statement-breakpoint
ALTER TABLE `__new_calls` RENAME TO `calls`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `calls_uuid` ON `calls` (`call_uuid`);--> statement-breakpoint
CREATE INDEX `calls_tenant_newest` ON `calls` (`tenant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_tenant_agent` ON `calls` (`tenant_id`,`agent_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_tenant_status` ON `calls` (`tenant_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_tenant_direction` ON `calls` (`tenant_id`,`direction`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_agent_status` ON `calls` (`tenant_id`,`agent_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_agent_direction` ON `calls` (`tenant_id`,`agent_id`,`direction`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_status_direction` ON `calls` (`tenant_id`,`status`,`direction`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_agent_status_direction` ON `calls` (`tenant_id`,`agent_id`,`status`,`direction`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `calls_live` ON `calls` (`status`);--> statement-breakpoint
CREATE TABLE `__new_schedules` (
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
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_schedules`("id", "tenant_id", "call_uuid", "agent_id", "to_number", "from_number", "schedule_at", "status", "reason", "immediate", "fired_at", "lease_owner", "lease_until", "created_at") SELECT "id", "tenant_id", "call_uuid", "agent_id", "to_number", "from_number", "schedule_at", "status", "reason", "immediate", "fired_at", "lease_owner", "lease_until", "created_at" FROM `schedules`;--> statement-breakpoint
DROP TABLE `schedules`;--> statement-breakpoint
ALTER TABLE `__new_schedules` RENAME TO `schedules`;--> statement-breakpoint
CREATE INDEX `schedules_due` ON `schedules` (`status`,`schedule_at`);--> statement-breakpoint
CREATE INDEX `schedules_tenant` ON `schedules` (`tenant_id`,`immediate`,`schedule_at`,`id`);--> statement-breakpoint
CREATE INDEX `schedules_tenant_status` ON `schedules` (`tenant_id`,`immediate`,`status`,`schedule_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `schedules_call` ON `schedules` (`call_uuid`);
--> statement-breakpoint
INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
SELECT c.`tenant_id`, c.`created_at` / 3600000, coalesce(c.`agent_id`, 0), c.`direction`, c.`status`, sum(1), sum((c.`answered_at` IS NOT NULL)), sum(CASE WHEN c.`answered_at` IS NOT NULL AND c.`ended_at` IS NOT NULL THEN c.`ended_at` - c.`answered_at` ELSE 0 END), sum(c.`billable_seconds`), sum(c.`included_seconds`), sum(c.`overage_seconds`), sum(c.`cost`), sum(coalesce(c.`cost_stt`, 0) + coalesce(c.`cost_llm`, 0) + coalesce(c.`cost_tts`, 0) + coalesce(c.`cost_trunk`, 0)), sum(c.`llm_input_tokens`), sum(c.`llm_output_tokens`), sum(c.`tts_characters`), sum(c.`stt_seconds`)
FROM `calls` c GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
SELECT `tenant_id`, coalesce(`agent_id`, 0), `direction`, `status`, count(*) FROM `calls` GROUP BY 1, 2, 3, 4;
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
