ALTER TABLE `call_rollups` ADD `llm_cached_input_tokens` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `call_rollups` SET `llm_cached_input_tokens` = known.`tokens`
FROM (
  SELECT `tenant_id`, `created_at` / 3600000 AS `hour`, coalesce(`agent_id`, 0) AS `agent_id`, `direction`, `status`, sum(`llm_cached_input_tokens`) AS `tokens`
  FROM `calls` WHERE `llm_cached_input_tokens` > 0 GROUP BY 1, 2, 3, 4, 5
) AS known
WHERE `call_rollups`.`tenant_id` = known.`tenant_id` AND `call_rollups`.`hour` = known.`hour` AND `call_rollups`.`agent_id` = known.`agent_id`
  AND `call_rollups`.`direction` = known.`direction` AND `call_rollups`.`status` = known.`status`;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_insert`;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_delete`;
--> statement-breakpoint
DROP TRIGGER `calls_rollup_update`;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_insert` AFTER INSERT ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`,
    1, (new.`answered_at` IS NOT NULL), CASE WHEN new.`answered_at` IS NOT NULL AND new.`ended_at` IS NOT NULL THEN new.`ended_at` - new.`answered_at` ELSE 0 END, new.`billable_seconds`, new.`included_seconds`, new.`overage_seconds`, new.`cost`, coalesce(new.`cost_stt`, 0) + coalesce(new.`cost_llm`, 0) + coalesce(new.`cost_tts`, 0) + coalesce(new.`cost_trunk`, 0), new.`llm_input_tokens`, new.`llm_cached_input_tokens`, new.`llm_output_tokens`, new.`tts_characters`, new.`stt_seconds`)
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
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (new.`tenant_id`, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`, 1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
END;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_delete` AFTER DELETE ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (old.`tenant_id`, old.`created_at` / 3600000, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`,
    -(1), -((old.`answered_at` IS NOT NULL)), -(CASE WHEN old.`answered_at` IS NOT NULL AND old.`ended_at` IS NOT NULL THEN old.`ended_at` - old.`answered_at` ELSE 0 END), -(old.`billable_seconds`), -(old.`included_seconds`), -(old.`overage_seconds`), -(old.`cost`), -(coalesce(old.`cost_stt`, 0) + coalesce(old.`cost_llm`, 0) + coalesce(old.`cost_tts`, 0) + coalesce(old.`cost_trunk`, 0)), -(old.`llm_input_tokens`), -(old.`llm_cached_input_tokens`), -(old.`llm_output_tokens`), -(old.`tts_characters`), -(old.`stt_seconds`))
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
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (old.`tenant_id`, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`, -1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  DELETE FROM `call_rollups` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `hour` = old.`created_at` / 3600000
    AND `agent_id` = coalesce(old.`agent_id`, 0) AND `direction` = old.`direction` AND `status` = old.`status`;
END;
--> statement-breakpoint
CREATE TRIGGER `calls_rollup_update` AFTER UPDATE OF `tenant_id`, `agent_id`, `direction`, `status`, `created_at`, `answered_at`, `ended_at`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_stt`, `cost_llm`, `cost_tts`, `cost_trunk`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds` ON `calls` BEGIN
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (old.`tenant_id`, old.`created_at` / 3600000, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`,
    -(1), -((old.`answered_at` IS NOT NULL)), -(CASE WHEN old.`answered_at` IS NOT NULL AND old.`ended_at` IS NOT NULL THEN old.`ended_at` - old.`answered_at` ELSE 0 END), -(old.`billable_seconds`), -(old.`included_seconds`), -(old.`overage_seconds`), -(old.`cost`), -(coalesce(old.`cost_stt`, 0) + coalesce(old.`cost_llm`, 0) + coalesce(old.`cost_tts`, 0) + coalesce(old.`cost_trunk`, 0)), -(old.`llm_input_tokens`), -(old.`llm_cached_input_tokens`), -(old.`llm_output_tokens`), -(old.`tts_characters`), -(old.`stt_seconds`))
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
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (old.`tenant_id`, coalesce(old.`agent_id`, 0), old.`direction`, old.`status`, -1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  INSERT INTO `call_rollups` (`tenant_id`, `hour`, `agent_id`, `direction`, `status`, `calls`, `answered`, `talk_ms`, `billable_seconds`, `included_seconds`, `overage_seconds`, `cost`, `cost_of_goods`, `llm_input_tokens`, `llm_cached_input_tokens`, `llm_output_tokens`, `tts_characters`, `stt_seconds`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`,
    1, (new.`answered_at` IS NOT NULL), CASE WHEN new.`answered_at` IS NOT NULL AND new.`ended_at` IS NOT NULL THEN new.`ended_at` - new.`answered_at` ELSE 0 END, new.`billable_seconds`, new.`included_seconds`, new.`overage_seconds`, new.`cost`, coalesce(new.`cost_stt`, 0) + coalesce(new.`cost_llm`, 0) + coalesce(new.`cost_tts`, 0) + coalesce(new.`cost_trunk`, 0), new.`llm_input_tokens`, new.`llm_cached_input_tokens`, new.`llm_output_tokens`, new.`tts_characters`, new.`stt_seconds`)
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
    `stt_seconds` = `stt_seconds` + excluded.`stt_seconds`;
  INSERT INTO `call_totals` (`tenant_id`, `agent_id`, `direction`, `status`, `calls`)
  VALUES (new.`tenant_id`, coalesce(new.`agent_id`, 0), new.`direction`, new.`status`, 1)
  ON CONFLICT (`tenant_id`, `agent_id`, `direction`, `status`) DO UPDATE SET `calls` = `calls` + excluded.`calls`;
  DELETE FROM `call_rollups` WHERE `calls` = 0 AND `tenant_id` = old.`tenant_id` AND `hour` = old.`created_at` / 3600000
    AND `agent_id` = coalesce(old.`agent_id`, 0) AND `direction` = old.`direction` AND `status` = old.`status`;
END;
