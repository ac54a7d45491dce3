ALTER TABLE `call_rollups` ADD `discarded_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `call_rollups` ADD `discarded_characters` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `call_rollups` ADD `discarded_stt_seconds` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `call_rollups` ADD `cost_discarded` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `calls` ADD `discarded_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `calls` ADD `discarded_characters` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `calls` ADD `discarded_stt_seconds` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `calls` ADD `cost_discarded` integer;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_insert`;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_delete`;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_update`;
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
