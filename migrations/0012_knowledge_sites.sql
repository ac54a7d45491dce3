CREATE TABLE `knowledge_sites` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`url` text NOT NULL,
	`depth_max` integer NOT NULL,
	`pages_max` integer NOT NULL,
	`every_hours` integer NOT NULL,
	`agent_id` integer,
	`file_ids` text NOT NULL,
	`pages` text NOT NULL,
	`problem` text,
	`read_at` integer,
	`due_at` integer,
	`reading_until` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `knowledge_sites_tenant` ON `knowledge_sites` (`tenant_id`);--> statement-breakpoint
CREATE INDEX `knowledge_sites_due` ON `knowledge_sites` (`due_at`);