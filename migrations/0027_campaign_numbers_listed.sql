CREATE INDEX `campaign_targets_listed` ON `campaign_targets` (`campaign_id`);--> statement-breakpoint
CREATE INDEX `campaign_targets_listed_state` ON `campaign_targets` (`campaign_id`,`status`);