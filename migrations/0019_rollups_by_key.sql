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
INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `llm_cached_input_tokens`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`)
  SELECT `tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`, `llm_cached_input_tokens`, `discarded_tokens`, `discarded_characters`, `discarded_stt_seconds`, `cost_discarded`
  FROM `unordered_rollups` ORDER BY `tenant_id`, `hour`, `agent_id`, `direction`, `status`;
--> statement-breakpoint
DROP TABLE `unordered_rollups`;
