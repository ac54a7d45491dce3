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
