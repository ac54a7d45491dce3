-- A waveform is part of its recording: it goes in the statement that takes the recording away.
CREATE TRIGGER `call_peaks_with_recording` AFTER UPDATE OF `recording_file` ON `calls`
WHEN new.`recording_file` IS NULL
BEGIN
  DELETE FROM `call_peaks` WHERE `call_id` = new.`id`;
END;
