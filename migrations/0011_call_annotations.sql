CREATE TABLE `call_comments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`call_id` integer NOT NULL,
	`user_id` integer,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `call_comments_call` ON `call_comments` (`call_id`);--> statement-breakpoint
CREATE INDEX `call_comments_tenant` ON `call_comments` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `call_tags` (
	`call_id` integer NOT NULL,
	`tenant_id` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`call_id`, `tag`),
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `call_tags_tenant` ON `call_tags` (`tenant_id`,`tag`,`call_id`);