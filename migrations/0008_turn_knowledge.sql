ALTER TABLE `turns` ADD `sources` text;--> statement-breakpoint
ALTER TABLE `turns` ADD `unanswered` text;--> statement-breakpoint
CREATE INDEX `turns_unanswered` ON `turns` (`call_id`) WHERE unanswered IS NOT NULL;