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
