CREATE TABLE `rate_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key_id` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_requests_key` ON `rate_requests` (`key_id`,`at`);