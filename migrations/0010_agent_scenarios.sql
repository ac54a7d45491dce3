CREATE TABLE `agent_scenarios` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`name` text NOT NULL,
	`yaml` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_scenarios_name` ON `agent_scenarios` (`agent_id`,`name`);--> statement-breakpoint
CREATE INDEX `agent_scenarios_tenant` ON `agent_scenarios` (`tenant_id`);