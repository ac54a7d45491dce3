CREATE VIEW `reported_events` (`tenant_id`, `events`) AS SELECT NULL, NULL WHERE 0;
--> statement-breakpoint
CREATE TRIGGER `reported_events_insert` INSTEAD OF INSERT ON `reported_events` BEGIN
  INSERT INTO `events` (`id`, `tenant_id`, `type`, `call_uuid`, `body`, `created_at`)
  SELECT `value` ->> 'id', new.`tenant_id`, `value` ->> 'type', `value` ->> 'callUuid', `value` ->> 'body', `value` ->> 'createdAt'
  FROM json_each(new.`events`) ORDER BY `key`;
  INSERT INTO `outbox` (`tenant_id`, `event_id`, `webhook_id`, `status`, `attempts`, `next_attempt_at`, `created_at`)
  SELECT w.`tenant_id`, e.`value` ->> 'id', w.`id`, 'pending', 0, e.`value` ->> 'createdAt', e.`value` ->> 'createdAt'
  FROM `webhooks` w JOIN json_each(new.`events`) e
  WHERE w.`tenant_id` = new.`tenant_id` AND w.`enabled` = 1
    AND instr(w.`events`, '"' || (e.`value` ->> 'type') || '"') > 0
  ORDER BY e.`key`, w.`id`;
END;
--> statement-breakpoint
CREATE VIEW `settlements` (`tenant_id`, `call_uuid`, `month`, `included_seconds`, `key`, `note`, `created_at`, `entries`) AS
  SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE 0;
--> statement-breakpoint
CREATE TRIGGER `settlements_insert` INSTEAD OF INSERT ON `settlements` BEGIN
  DELETE FROM `holds` WHERE `call_uuid` = new.`call_uuid` AND `tenant_id` = new.`tenant_id`;
  INSERT INTO `ledger_transactions` (`tenant_id`, `key`, `kind`, `note`, `created_at`)
  VALUES (new.`tenant_id`, new.`key`, 'charge', new.`note`, new.`created_at`);
  INSERT INTO `ledger_entries` (`transaction_id`, `tenant_id`, `account`, `amount`)
  SELECT t.`id`, t.`tenant_id`, e.`value` ->> 'account', e.`value` ->> 'amount'
  FROM `ledger_transactions` t JOIN json_each(new.`entries`) e
  WHERE t.`key` = new.`key` AND t.`tenant_id` = new.`tenant_id` ORDER BY e.`key`;
  INSERT INTO `wallets` (`tenant_id`, `balance`)
  SELECT new.`tenant_id`, sum(`value` ->> 'amount') FROM json_each(new.`entries`)
  WHERE `value` ->> 'account' = 'wallet' GROUP BY 1
  ON CONFLICT (`tenant_id`) DO UPDATE SET `balance` = `balance` + excluded.`balance`;
  INSERT INTO `plan_usage` (`tenant_id`, `month`, `seconds_used`)
  SELECT new.`tenant_id`, new.`month`, new.`included_seconds` WHERE new.`included_seconds` > 0
  ON CONFLICT (`tenant_id`, `month`) DO UPDATE SET `seconds_used` = `seconds_used` + excluded.`seconds_used`;
END;
--> statement-breakpoint
CREATE VIEW `encoded_recordings` (`call_uuid`, `tenant_id`, `agent_id`, `recording_status`, `recording_file`, `peaks`) AS
  SELECT `call_uuid`, `tenant_id`, `agent_id`, `recording_status`, `recording_file`, NULL FROM `calls`;
--> statement-breakpoint
CREATE TRIGGER `encoded_recordings_update` INSTEAD OF UPDATE ON `encoded_recordings` BEGIN
  UPDATE `calls` SET `recording_status` = new.`recording_status`, `recording_file` = new.`recording_file`
  WHERE `call_uuid` = old.`call_uuid`;
  INSERT INTO `call_peaks` (`call_id`, `tenant_id`, `duration_ms`, `slots_per_second`, `left_peaks`, `right_peaks`, `created_at`)
  SELECT `id`, `tenant_id`, new.`peaks` ->> 'durationMs', new.`peaks` ->> 'slotsPerSecond',
    new.`peaks` ->> 'left', new.`peaks` ->> 'right', new.`peaks` ->> 'createdAt'
  FROM `calls` WHERE `call_uuid` = old.`call_uuid` AND new.`peaks` IS NOT NULL
  ON CONFLICT (`call_id`) DO UPDATE SET `duration_ms` = excluded.`duration_ms`, `slots_per_second` = excluded.`slots_per_second`,
    `left_peaks` = excluded.`left_peaks`, `right_peaks` = excluded.`right_peaks`, `created_at` = excluded.`created_at`;
END;
