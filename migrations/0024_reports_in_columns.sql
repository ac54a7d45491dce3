CREATE VIEW `event_reports` (`tenant_id`, `id`, `type`, `call_uuid`, `body`, `created_at`) AS
  SELECT NULL, NULL, NULL, NULL, NULL, NULL WHERE 0;
--> statement-breakpoint
CREATE TRIGGER `event_reports_insert` INSTEAD OF INSERT ON `event_reports` BEGIN
  INSERT INTO `events` (`id`, `tenant_id`, `type`, `call_uuid`, `body`, `created_at`)
  VALUES (new.`id`, new.`tenant_id`, new.`type`, new.`call_uuid`, new.`body`, new.`created_at`);
  INSERT INTO `outbox` (`tenant_id`, `event_id`, `webhook_id`, `status`, `attempts`, `next_attempt_at`, `created_at`)
  SELECT `tenant_id`, new.`id`, `id`, 'pending', 0, new.`created_at`, new.`created_at`
  FROM `webhooks`
  WHERE `tenant_id` = new.`tenant_id` AND `enabled` = 1 AND instr(`events`, '"' || new.`type` || '"') > 0
  ORDER BY `id`;
END;
