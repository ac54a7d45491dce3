ALTER TABLE `agent_scenarios` ADD `call_uuid` text;--> statement-breakpoint
CREATE INDEX `agent_scenarios_call` ON `agent_scenarios` (`call_uuid`) WHERE call_uuid IS NOT NULL;