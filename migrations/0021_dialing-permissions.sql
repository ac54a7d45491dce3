ALTER TABLE `schedules` ADD `to_country` text;--> statement-breakpoint
CREATE INDEX `schedules_number` ON `schedules` (`tenant_id`,`to_number`,`fired_at`) WHERE fired_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `schedules_abroad` ON `schedules` (`tenant_id`,`to_country`,`fired_at`) WHERE to_country IS NOT NULL;--> statement-breakpoint
ALTER TABLE `tenants` ADD `short_numbers` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `burst_told_at` integer;