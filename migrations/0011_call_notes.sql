CREATE TABLE `call_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`call_id` integer NOT NULL,
	`kind` text NOT NULL,
	`at_ms` integer NOT NULL,
	`note` text NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `call_notes_call` ON `call_notes` (`call_id`);--> statement-breakpoint
ALTER TABLE `turns` ADD `measures` text;